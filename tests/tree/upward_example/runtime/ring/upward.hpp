// A ring that knows of matching: what the include-direction test must refuse.
#include "pt2pt/matching/matcher.hpp"
