"""`python -m mkdocs_recall`: the command line."""

from mkdocs_recall.cli.main import main

if __name__ == "__main__":
    main()
