-- A thousand points of the forecast's coverage, again and again: the plants of a portfolio.
math.randomseed(20260622)

local points = {}
for i = 1, 1000 do
  points[i] = string.format("?lat=%.4f&lon=%.4f", 57 + 15 * math.random(), 4 + 28 * math.random())
end

request = function()
  return wrk.format(nil, wrk.path .. points[math.random(1000)])
end
