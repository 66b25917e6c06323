"""The control room: a page in Locust's web server that shows a storm, causes it and ends it.

`tally` has what the clients counted, `feed` what the target metered; `live` makes of both what the
page draws. `acts` does what is asked from the page; `guard` says who may ask. `web` ties all of it
to Locust's Flask app.
"""
