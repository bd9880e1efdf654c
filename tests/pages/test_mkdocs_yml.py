"""The cache folder and URL of a site are found without MkDocs."""

from __future__ import annotations

from pathlib import Path

import pytest
from mkdocs.config import load_config
from tables import tabled

from mkdocs_recall import RecallError
from mkdocs_recall.hosts.config import RecallConfig, cache_folder as folder_in_a_build
from mkdocs_recall.pages.config import cache_folder, plugin_option, plugin_options, stated_text

BASE = "plugins:\n  recall:\n    cache_dir: base\n    max_sentences: 2\n"


@tabled
def test_options_are_as_mkdocs_reads(tmp_path: Path, text: str, options: dict[str, object]) -> None:
    (tmp_path / "base.yml").write_text(BASE)
    config = tmp_path / "mkdocs.yml"
    config.write_text(text)
    assert plugin_options(config) == options


def test_an_option_read_alone_has_the_value_of_a_full_read(tmp_path: Path) -> None:
    (tmp_path / "base.yml").write_text(BASE)
    config = tmp_path / "mkdocs.yml"
    for text, found in (
        ("INHERIT: base.yml\nplugins: {recall: {explain: true}}\n", 2),
        ("plugins: [recall: {max_sentences: 3}]\n", 3),
        ("plugins: [recall]  # max_sentences\n", None),
        ("plugins: [recall]\n", None),
    ):
        config.write_text(text)
        assert plugin_option(config, "max_sentences", lambda value: value) == found
    assert plugin_option(tmp_path / "nowhere.yml", "max_sentences", lambda value: value) is None


def test_a_file_that_inherits_from_itself_is_an_error(tmp_path: Path) -> None:
    config = tmp_path / "mkdocs.yml"
    config.write_text("INHERIT: mkdocs.yml\n")
    with pytest.raises(RecallError, match="inherits from more than 32 files, or from itself"):
        plugin_options(config)


@tabled
def test_the_cache_is_where_a_build_has_it(tmp_path: Path, options: str) -> None:
    (tmp_path / "site/docs").mkdir(parents=True)
    config = tmp_path / "site/mkdocs.yml"
    config.write_text(f"site_name: Site\nplugins: [{{recall: {{{options}}}}}]\n")
    settings = RecallConfig()
    settings.load_dict(dict(plugin_options(config)))
    settings.validate()
    expected = folder_in_a_build(settings, load_config(str(config), plugins=[]))
    assert cache_folder(config) == expected


def test_a_folder_that_cannot_be_is_none(tmp_path: Path) -> None:
    config = tmp_path / "mkdocs.yml"
    config.write_text('plugins: [{recall: {cache_dir: "a\\0b"}}]\n')
    assert cache_folder(config) is None


@tabled
def test_settings_say_where_a_site_is_published(tmp_path: Path, text: str, url: str) -> None:
    (tmp_path / "base.yml").write_text("site_url: https://base.example/\n")
    config = tmp_path / "mkdocs.yml"
    config.write_text(f"{text}\n")
    assert stated_text(config, "site_url") == url
