// As often.h, for tests.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "cmake/often.h"
