"""Nonlinear equations and conditions, and their linearisations."""
