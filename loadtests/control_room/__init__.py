"""The control room: a page in Locust's web server that shows a storm, causes it and ends it.

`clients` has what the clients counted and `metered` what the target metered; `standing` judges both
by the rules of the report, and `live` makes of it what the page draws. `acting` does what is asked
from the page, `entry` says who may ask, `recorded` serves the runs. `web` ties it all to Locust.
"""
