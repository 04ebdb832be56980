require 'does_not_exist'
