"""The decision tree: asked without scikit-learn, drawn, pruned, on selected features."""

import numpy as np
import pytest

from linksight.errors import BadConfig
from linksight.models import load, make_classifier
from linksight.models.algorithms.tree_arrays import TreeArrays
from linksight.models.forward_selection import select_forward

sklearn_tree = pytest.importorskip("sklearn.tree")


@pytest.fixture(scope="module")
def tree(corpus):
    return make_classifier("dt", language="de").fit(*corpus)


def test_arrays_answer_as_scikit_learns_tree_does():
    rng = np.random.default_rng(0)
    matrix = rng.integers(0, 4, size=(500, 6)).astype(np.float32)
    targets = (matrix[:, 0] + matrix[:, 3] > 3).astype(int) + (matrix[:, 5] == 2)
    grown = sklearn_tree.DecisionTreeClassifier(criterion="entropy", min_samples_leaf=3).fit(matrix, targets)
    arrays = TreeArrays.of(grown, 3)
    np.testing.assert_array_equal(arrays.leaves(matrix), grown.apply(matrix))
    np.testing.assert_allclose(arrays.shares(matrix), grown.predict_proba(matrix))


def test_the_tree_is_written_as_text(tree):
    text = tree.draw_text(depth=1)
    lines = text.splitlines()
    assert lines[0].endswith("?")
    assert lines[0].split(" > ")[0] in tree.custom_.columns
    assert lines[1].strip().startswith("no:")
    assert lines[2].strip().startswith("yes:")
    assert "f(+)=" in text
    assert len(lines) == 3
    assert len(tree.draw_text(depth=9).splitlines()) == len(tree.tree_.feature)


@pytest.mark.parametrize("name", ["tree.svg", "tree.png", "tree.pdf"])
def test_the_tree_is_drawn_as_a_picture(tree, tmp_path, name):
    tree.draw(tmp_path / name, depth=2)
    head = (tmp_path / name).read_bytes()[:300]
    assert {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[name[-3:]] in head


def test_a_picture_of_another_kind_is_refused(tree, tmp_path):
    with pytest.raises(BadConfig, match=r"named \.svg"):
        tree.draw(tmp_path / "tree.txt")


def test_pruning_makes_the_tree_smaller(corpus):
    urls, languages = corpus
    noisy = ["fr" if i % 7 == 0 else language for i, language in enumerate(languages)]
    sizes = [
        len(make_classifier("dt", language="en", pruning=pruning, min_leaf=1).fit(urls, noisy).tree_.feature)
        for pruning in (0.0, 0.02, 2.0)
    ]
    assert sizes[0] > sizes[1] > sizes[2] == 1


def test_features_are_selected_greedily(corpus):
    classifier = make_classifier("dt", "custom-2008", language="de", n_features=5).fit(*corpus)
    assert len(classifier.custom_.columns) == 5
    assert classifier.selection_.values[-1] >= classifier.selection_.values[0]
    assert classifier.score(*corpus) > 0.9


def test_dictionaries_that_choose_features_have_not_seen_the_rows_that_judge_them():
    """With labels drawn at random nothing can be learnt; a leak would still make trained words look good."""
    rng = np.random.default_rng(0)
    letters = [chr(ord("a") + i) for i in range(20)]
    words = [f"q{one}{other}q" for one in letters for other in letters]
    urls = [f"http://www.example.com/{word}" for word in words for _ in range(5)]
    labels = np.array(["de", "en"])[rng.integers(0, 2, len(urls))]
    classifier = make_classifier("dt", "custom-2008", language="de", n_features=2).fit(urls, labels)
    assert max(classifier.selection_.values) < 0.57


def test_selection_takes_the_column_that_helps_most_each_time():
    gains = {
        frozenset({0}): 1,
        frozenset({1}): 2,
        frozenset({2}): 2,
        frozenset({0, 1}): 9,
        frozenset({1, 2}): 3,
    }
    found = select_forward(3, 2, lambda columns: gains.get(frozenset(columns), 0))
    assert found.columns == (1, 0)
    assert found.values == (2, 9)


def test_a_tree_reads_custom_features_only():
    for features in ("words", "custom+words"):
        with pytest.raises(BadConfig, match="dt reads custom features"):
            make_classifier("dt", features=features)


def test_a_saved_tree_takes_its_dictionaries_along(tree, corpus, tmp_path):
    tree.save(tmp_path / "tree.model")
    loaded = load(tmp_path / "tree.model")
    assert loaded.custom_.lexicon == tree.custom_.lexicon
    assert loaded.custom_.trained == tree.custom_.trained
    assert loaded.custom_.trained.trained["de"]
    np.testing.assert_array_equal(loaded.decision_function(corpus[0]), tree.decision_function(corpus[0]))
    assert loaded.draw_text() == tree.draw_text()
