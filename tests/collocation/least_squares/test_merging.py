"""An order in which leaves are merged."""

from __future__ import annotations

import numpy as np

from fspielm.collocation.nested import Merges, flatten, merge_order


def leaves_of(tree: Merges) -> list[int]:
    return [tree] if isinstance(tree, int) else [leaf for child in tree for leaf in leaves_of(child)]


def most_open(tree: Merges, shared: list[np.ndarray]) -> int:
    """The most columns that any merger has to do with."""
    if isinstance(tree, int):
        return len(shared[tree])
    both = set().union(*(_open(child, shared) for child in tree))
    return max(len(both), *(most_open(child, shared) for child in tree))


def _open(tree: Merges, shared: list[np.ndarray]) -> set[int]:
    inside = leaves_of(tree)
    columns = [column for leaf in inside for column in shared[leaf].tolist()]
    elsewhere = {c for leaf, own in enumerate(shared) if leaf not in inside for c in own.tolist()}
    return set(columns) & elsewhere


def grid(side: int) -> list[np.ndarray]:
    """Cells of a square, each with a column for each edge to a neighbour."""
    shared: list[list[int]] = [[] for _ in range(side * side)]
    column = 0
    for i in range(side):
        for j in range(side):
            for ni, nj in ((i + 1, j), (i, j + 1)):
                if ni < side and nj < side:
                    shared[i * side + j].append(column)
                    shared[ni * side + nj].append(column)
                    column += 1
    return [np.array(own) for own in shared]


def test_every_leaf_is_merged_once() -> None:
    shared = grid(7)
    assert sorted(leaves_of(merge_order(shared))) == list(range(49))


def test_few_columns_are_open_on_a_grid() -> None:
    shared = grid(16)  # halves of the square share 16
    assert most_open(merge_order(shared), shared) <= 5 * 16


def test_a_chain_is_merged_with_next_to_nothing_open() -> None:
    chain = [np.array([k - 1, k]) for k in range(1, 40)]
    assert most_open(merge_order(chain), chain) <= 3


def test_what_shares_nothing_is_merged_all_the_same() -> None:
    none = np.empty(0, dtype=int)
    assert sorted(leaves_of(merge_order([none, none, none]))) == [0, 1, 2]
    assert merge_order([none]) == 0


def test_columns_that_all_have_do_not_matter() -> None:
    shared = [np.append(own, 10_000) for own in grid(8)]
    assert sorted(leaves_of(merge_order(shared))) == list(range(64))


def test_a_long_chain_is_no_deep_recursion() -> None:
    tree: Merges = 0
    for leaf in range(1, 5000):
        tree = (tree, leaf)
    nodes = flatten(tree)
    assert (nodes[-1].height, len(nodes)) == (4999, 9999)
    assert [nodes[child].leaf for child in nodes[2].children] == [0, 1]
