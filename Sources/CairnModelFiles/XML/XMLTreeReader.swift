import CairnCLibXML2

/// Reads XML into elements with libxml2's SAX2 interface.
///
/// Documents with a DOCTYPE are refused, so no entity can be declared; nothing is ever fetched, and
/// libxml2's own limits stay on (no `XML_PARSE_HUGE`, `NOENT`, `DTDLOAD`, `RECOVER`).
enum XMLTreeReader {
    /// The largest file that is read; the largest source model seen has 60 kB.
    static let byteCountLimit = 64 << 20
    static let depthLimit = 64

    /// - Throws: an ``XMLFailure`` for text that is not well-formed, a DOCTYPE, an element that
    ///   is nested too deep.
    static func read(_ bytes: [UInt8]) throws(XMLFailure) -> XMLElement {
        guard bytes.count <= byteCountLimit else {
            throw XMLFailure(line: 1, detail: "the file is larger than \(byteCountLimit) bytes")
        }
        let builder = XMLTreeBuilder()
        let failure = parse(bytes, into: builder)
        if let failure = builder.failure ?? failure { throw failure }
        guard let root = builder.root else {
            throw XMLFailure(line: 1, detail: "the file holds no element")
        }
        return root
    }

    private static func parse(_ bytes: [UInt8], into builder: XMLTreeBuilder) -> XMLFailure? {
        var handler = XMLTreeBuilder.handler
        // The builder outlives the parser: the caller holds it.
        let context = Unmanaged.passUnretained(builder).toOpaque()
        let handlers = cairn_xml_silence_errors()
        defer { cairn_xml_restore_errors(handlers) }
        guard let parser = xmlCreatePushParserCtxt(&handler, context, nil, 0, nil) else {
            return XMLFailure(line: 1, detail: "libxml2 could not begin: out of memory")
        }
        defer { xmlFreeParserCtxt(parser) }
        builder.parser = parser
        defer { builder.parser = nil }
        xmlCtxtUseOptions(parser, Int32(XML_PARSE_NONET.rawValue))
        let status = bytes.withUnsafeBytes { buffer in
            xmlParseChunk(
                parser, buffer.bindMemory(to: CChar.self).baseAddress, Int32(buffer.count), 1)
        }
        return status == 0 && parser.pointee.wellFormed == 1 ? nil : failure(of: parser)
    }

    private static func failure(of parser: xmlParserCtxtPtr) -> XMLFailure {
        guard let error = xmlCtxtGetLastError(parser) else {
            return XMLFailure(line: 1, detail: "the XML is not well-formed")
        }
        let message = error.pointee.message.map { String(cString: $0) } ?? ""
        return XMLFailure(
            line: Int(error.pointee.line),
            detail: "the XML is not well-formed: "
                + message.split(whereSeparator: \.isNewline).joined(separator: " "))
    }
}

/// Collects what the parser calls back with. Used by one parser, on one thread.
private final class XMLTreeBuilder {
    var root: XMLElement?
    var failure: XMLFailure?
    var parser: xmlParserCtxtPtr?
    /// The elements that are open, the outermost first.
    private var open: [XMLElement] = []

    /// The calls that this builder takes; all others are nil, which libxml2 skips.
    static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = 0xDEED_BEAF  // XML_SAX2_MAGIC
        handler.internalSubset = { context, _, _, _ in
            XMLTreeBuilder.of(context)?.stop("a DOCTYPE, which no model has")
        }
        handler.startElementNs = { context, name, _, _, _, _, count, _, attributes in
            XMLTreeBuilder.of(context)?.begin(name, Int(count), attributes)
        }
        handler.endElementNs = { context, _, _, _ in XMLTreeBuilder.of(context)?.end() }
        return handler
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> XMLTreeBuilder? {
        context.map { Unmanaged<XMLTreeBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    private var line: Int { parser.map { Int(xmlSAX2GetLineNumber($0)) } ?? 0 }

    private func stop(_ detail: String) {
        if failure == nil { failure = XMLFailure(line: line, detail: detail) }
        if let parser { xmlStopParser(parser) }
    }

    private func begin(
        _ name: UnsafePointer<xmlChar>?, _ count: Int,
        _ attributes: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    ) {
        guard failure == nil, let name else { return }
        guard open.count < XMLTreeReader.depthLimit else {
            return stop("elements are nested deeper than \(XMLTreeReader.depthLimit)")
        }
        var element = XMLElement(name: String(cString: name), attributes: [:], line: line)
        for index in 0..<count {
            // Five pointers each: local name, prefix, namespace, and the value's two ends.
            guard let key = attributes?[5 * index], let start = attributes?[5 * index + 3],
                let end = attributes?[5 * index + 4]
            else { continue }
            let bytes = UnsafeBufferPointer(start: start, count: end - start)
            element.attributes[String(cString: key)] = Self.text(bytes)
        }
        open.append(element)
    }

    /// Without `XML_PARSE_NOENT`, libxml2 hands out every ampersand of a value as `&#38;`.
    private static func text(_ bytes: UnsafeBufferPointer<xmlChar>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.contains(UInt8(ascii: "&"))
            ? text.split(separator: "&#38;", omittingEmptySubsequences: false).joined(
                separator: "&")
            : text
    }

    private func end() {
        guard failure == nil, let element = open.popLast() else { return }
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].children.append(element)
        }
    }
}
