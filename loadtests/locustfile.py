"""One user class per retry policy, each with a lane of its own: choose them in the class picker.

    locust -f loadtests/locustfile.py --host http://127.0.0.1:8000 --class-picker

The policies are those of article 000, or the ones that AFTERSHOCK_POLICIES names, with spaces
between them: presets, real client libraries, configuration files, code of your own::

    AFTERSHOCK_POLICIES="urllib3-2:total=3 envoy-1.40 service_config.json" locust -f ...
"""

import os
import sys

from loadtests.policy_names import file_remarks
from loadtests.scenario import ARTICLE_000, choose_policy
from loadtests.user_classes import user_classes

VARIABLE = "AFTERSHOCK_POLICIES"

_names = os.environ.get(VARIABLE, "").split() or ARTICLE_000
try:
    _classes = user_classes(map(choose_policy, _names), path="/work", timeout_s=5.0)
    for _remark in (remark for name in _names for remark in file_remarks(name)):
        sys.stderr.write(f"note: {_remark}\n")
except ValueError as error:
    sys.stderr.write(f"{VARIABLE}: {error}\n")
    sys.exit(2)
globals().update(_classes)
