-- wrk: one message to one of many conversations a request. CONVERSATIONS: how many there are. Each comes
-- up once before any comes up again, so with more conversations than connections no two requests on one
-- conversation meet, and with fewer they wait for each other in the server, first come, first served.
-- wrk runs one copy of this a thread: -t1, or the threads would keep step.
local conversations = tonumber(os.getenv("CONVERSATIONS") or "8")
local place = "@@@@@@@"
local body = '{"session_id":"bench-' .. place .. '","message":"And what will the weather be like in Lisbon tomorrow?"}'

local before, after
local at = 0

function init()
  wrk.headers["Content-Type"] = "application/json"
  local whole = wrk.format("POST", nil, nil, body)
  local from, to = whole:find(place, 1, true)
  before, after = whole:sub(1, from - 1), whole:sub(to + 1)
end

function request()
  at = (at + 1) % conversations
  return before .. string.format("%07d", at) .. after
end
