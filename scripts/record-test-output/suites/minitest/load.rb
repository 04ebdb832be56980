require 'minitest/autorun'
require 'does_not_exist'
