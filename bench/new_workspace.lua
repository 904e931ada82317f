-- wrk: one durable single-row write a request.
wrk.method = "POST"
wrk.body = '{"type":"bench"}'
wrk.headers["Content-Type"] = "application/json"
