# One image for every service of docker-compose.yml.
ARG PYTHON_IMAGE=python:3.11.14-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
# Where pip looks when it is not the usual place. Both are unset unless given, and nothing of this
# stage but the virtual environment is kept, so they do not show in the image.
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
# Without pip of its own the environment stays small; the base image's pip fills it.
RUN python -m venv --without-pip /opt/venv
WORKDIR /src
# Dependencies first, in a layer of their own: a change of code leaves it as it is.
COPY requirements/runtime.txt requirements/
RUN python -m pip --python /opt/venv/bin/python install \
    --no-cache-dir --disable-pip-version-check --only-binary :all: \
    --require-hashes -r requirements/runtime.txt
COPY pyproject.toml README.md LICENSE aftershock.py aftershock_units.py aftershock_verbs.py ./
COPY target_service target_service
COPY loadtests loadtests
COPY faults faults
COPY reports reports
RUN python -m pip --python /opt/venv/bin/python install \
    --no-cache-dir --disable-pip-version-check --no-deps --no-build-isolation .
# Locust wants a file; this one's place does not depend on the version of Python.
RUN mkdir /opt/aftershock \
    && ln -s /opt/venv/lib/python3.*/site-packages/loadtests/locustfile.py /opt/aftershock/

FROM ${PYTHON_IMAGE}
# Compiled files were made by the build; a running container writes none.
ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/tmp \
    PATH=/opt/aftershock/bin:/opt/venv/bin:$PATH
COPY --from=build /opt/venv /opt/venv
COPY --from=build /opt/aftershock /opt/aftershock
COPY deploy /opt/aftershock
WORKDIR /opt/aftershock
# By number: the stack may run it as any user, and none of them needs a name.
USER 1000:1000
ENTRYPOINT ["with-token"]
CMD ["aftershock", "--help"]
