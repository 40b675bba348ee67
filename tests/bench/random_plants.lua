-- POST a plant of two arrays somewhere in the coverage. Arguments: "precise", or the number of systems of a bulk call
-- with "new" or "kept": whether every call is another one.
math.randomseed(os.time())

local arrays = '[{"name":"sor","kwp":6.4,"tilt_deg":30,"azimuth_deg":180},' ..
  '{"name":"vest","kwp":3.2,"tilt_deg":30,"azimuth_deg":270}]'

local function plant(id)
  return string.format('{%s"latitude":%.5f,"longitude":%.5f,"arrays":%s', id and '"id":"' .. id .. '",' or "",
    57 + math.random() * 15, 4 + math.random() * 28, arrays)
end

local function bulk(count)
  local systems = {}
  for i = 1, count do systems[i] = plant("plant-" .. i) .. "}" end
  return '{"systems":[' .. table.concat(systems, ",") .. "]}"
end

local count, kept
local requests, last = {}, 0

-- Plants are made up beforehand: the server may share a processor's core with this client, and would be timed with it.
local function prepare(ending)
  for i = 1, 5000 do requests[i] = wrk.format(nil, nil, nil, plant() .. ending) end
end

function init(args)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  count = tonumber(args[1])
  kept = args[2] == "kept" and wrk.format(nil, nil, nil, bulk(count))
  if not count then prepare(args[1] == "precise" and ',"precise":true}' or "}") end
end

request = function()
  if count then return kept or wrk.format(nil, nil, nil, bulk(count)) end
  last = last % #requests + 1
  return requests[last]
end
