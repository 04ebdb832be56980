use DoesNotExist;
