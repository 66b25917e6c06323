"""Charts as SVG and PNG, each with a caption that can stand alone: no browser, no network."""
