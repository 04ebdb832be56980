ExUnit.start()
DoesNotExist.call()
