-- Random points of the coverage, five decimals as people send them.
math.randomseed(os.time())
request = function()
  local lat = 57 + math.random() * 15
  local lon = 4 + math.random() * 28
  return wrk.format("GET", string.format("%s?lat=%.5f&lon=%.5f", wrk.path, lat, lon))
end
