"""How does a person look after a memory in a browser? Pages drawn on the server, for mouse, keyboard and phone.

`app` puts them together; `views` say what a page shows as plain values, `templates/` how it looks, `sessions` who is
looking. Everything works as plain forms; `static/` adds htmx, the keys and the style. No rule of memory lives here.
"""
