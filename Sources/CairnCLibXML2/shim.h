#include <libxml/xmlversion.h>
// Debian's libxml2 is built with ICU, and its headers then bring ICU's along, which clash with
// those inside Swift's Foundation. Nothing that Cairn calls mentions ICU: the only structure that
// looks different without it, xmlCharEncodingHandler, is never touched.
#undef LIBXML_ICU_ENABLED
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/xmlerror.h>

// libxml2 prints an error on standard error unless a handler of the thread takes it: the handlers of a
// parser get only the errors that belong to a parser, and those of an encoding do not. What went wrong
// is asked of the parser afterwards, so these handlers do nothing.
typedef struct {
    xmlStructuredErrorFunc structured;
    void *structuredContext;
    xmlGenericErrorFunc generic;
    void *genericContext;
} cairn_xml_error_handlers;

static inline void cairn_xml_ignore_structured_error(void *context, xmlErrorPtr error) {
    (void)context;
    (void)error;
}

static inline void cairn_xml_ignore_generic_error(void *context, const char *message, ...) {
    (void)context;
    (void)message;
}

// Keeps libxml2 from printing in this thread. Returns the handlers that the program had set, to be given
// to cairn_xml_restore_errors().
static inline cairn_xml_error_handlers cairn_xml_silence_errors(void) {
    cairn_xml_error_handlers previous = {
        xmlStructuredError, xmlStructuredErrorContext, xmlGenericError, xmlGenericErrorContext};
    xmlSetStructuredErrorFunc(NULL, (xmlStructuredErrorFunc)cairn_xml_ignore_structured_error);
    xmlSetGenericErrorFunc(NULL, cairn_xml_ignore_generic_error);
    return previous;
}

static inline void cairn_xml_restore_errors(cairn_xml_error_handlers previous) {
    xmlSetStructuredErrorFunc(previous.structuredContext, previous.structured);
    xmlSetGenericErrorFunc(previous.genericContext, previous.generic);
}
