-- wrk: one message of one of many senders a request, for rouse and for bare_group_commit alike.
-- SENDERS: how many there are. SENDER_STEP: the distance of their numbers, to pick some of those that
-- bench/seed_conversations made. Each sender comes up once before any comes up again, in an order that
-- jumps about, so two requests on one conversation don't meet and neighbours aren't asked one after
-- another. wrk runs one copy of this a thread: -t1, or the threads would keep step.
local senders = tonumber(os.getenv("SENDERS") or "10000")
local step = tonumber(os.getenv("SENDER_STEP") or "1")
local place = "@@@@@@@"
local body = '{"workspace_id":"ws_default","channel":"whatsapp","remote_jid":"+1555' .. place ..
  '","user_message":"And what will the weather be like in Lisbon tomorrow?"}'

local function common_divisor(a, b)
  while b ~= 0 do a, b = b, a % b end
  return a
end

local stride = math.floor(senders * 0.618) + 1
while common_divisor(stride, senders) ~= 1 do stride = stride + 1 end

local before, after
math.randomseed(os.time())
local at = math.random(0, senders - 1)  -- or each run would ask the same ones first

function init()
  wrk.headers["Content-Type"] = "application/json"
  local whole = wrk.format("POST", nil, nil, body)
  local from, to = whole:find(place, 1, true)
  before, after = whole:sub(1, from - 1), whole:sub(to + 1)
end

function request()
  at = (at + stride) % senders
  return before .. string.format("%07d", at * step) .. after
end
