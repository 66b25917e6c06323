"""One user class per retry policy, each with a lane of its own: choose them in the class picker.

    locust -f loadtests/locustfile.py --host http://127.0.0.1:8000 --class-picker

The policies are those of article 000, or the ones that AFTERSHOCK_POLICIES names, with spaces
between them: presets, real client libraries, configuration files, code of your own::

    AFTERSHOCK_POLICIES="urllib3-2:total=3 opaque-urllib3 service_config.json" locust -f ...
"""

import os

from loadtests.scenario import ARTICLE_000, choose_policy
from loadtests.user_classes import user_classes

_names = os.environ.get("AFTERSHOCK_POLICIES", "").split() or ARTICLE_000
globals().update(
    user_classes((choose_policy(name) for name in _names), path="/work", timeout_s=5.0)
)
