"""Where it tips: between which two values of a field a system stops coming back by itself.

`search` says what is to be tried next and `finding` what was found, by the tests of `evidence`;
`ranges` reads the values that may be tried, `lanes` makes the runs of them, `hunt` puts them
together, and `looking` has them played. `answer` is what came of it; `sentences`, `remarks`,
`terminal`, `to_json` and `html` say it, and `chart` draws it. `find` is the part of the verb.
"""
