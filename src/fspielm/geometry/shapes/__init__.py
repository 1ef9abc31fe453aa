"""The shapes that users build."""
