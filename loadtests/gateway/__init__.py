"""A reverse proxy that retries by a policy: a retry layer between clients and a service.

`driving` carries a request through its policy with asyncio. `exchange` makes the attempts of one
request: `headers` and `deadlines` say what is passed on, `bodies` what can be sent again, `answers`
what came back. `app` is the ASGI app, `front` the meter around it, `server` what runs it.
"""
