-- wrk: the question of a turn, straight to the model: what it takes by itself. BYTES: of the body.
local bytes = tonumber(os.getenv("BYTES") or "4096")
local head = '{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"'
local tail = '"}]}'

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = head .. string.rep("x", math.max(0, bytes - #head - #tail)) .. tail
