#include <libxml/xmlversion.h>
// Debian's libxml2 is built with ICU, and its headers then bring ICU's along, which clash with
// those inside Swift's Foundation. Nothing that Cairn calls mentions ICU: the only structure that
// looks different without it, xmlCharEncodingHandler, is never touched.
#undef LIBXML_ICU_ENABLED
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
