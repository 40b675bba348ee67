-- Random points of the coverage, or between south, north, west and east, five decimals as people send them.
math.randomseed(os.time())
local south, north, west, east = 57, 72, 4, 32
function init(args)
  if args[1] then south, north, west, east = tonumber(args[1]), tonumber(args[2]), tonumber(args[3]), tonumber(args[4]) end
end
request = function()
  local lat = south + math.random() * (north - south)
  local lon = west + math.random() * (east - west)
  return wrk.format("GET", string.format("%s?lat=%.5f&lon=%.5f", wrk.path, lat, lon))
end
