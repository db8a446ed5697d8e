import Foundation

/// Reading values that are not containers.
extension KeyedValueReader {
    /// Returns the value of a node that has no class.
    mutating func plain(_ node: Int) throws(ArchiveError) -> ArchivableValue {
        switch archive.list.nodes[node] {
        case .boolean(let value):
            try budget.spend(1)
            return .boolean(value)
        case .integer(let value):
            try budget.spend(1)
            return .integer(value)
        case .unsigned(let value):
            try budget.spend(1)
            return .unsigned(value)
        case .real(let value):
            try budget.spend(1)
            return .real(value)
        case .date(let seconds):
            try budget.spend(1)
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case .string(let text):
            try budget.spend(valueOf: text.utf8.count)
            return .string(text)
        case .data(let bytes):
            try budget.spend(valueOf: bytes.count)
            return .data(data(node, bytes))
        case .null, .reference, .array, .dictionary:
            throw .wrongValue(
                object: "the archive", key: "$objects", detail: "a container has no class")
        }
    }

    private mutating func data(_ node: Int, _ bytes: [UInt8]) -> Data {
        if let known = knownData[node] { return known }
        let data = Data(bytes)
        knownData[node] = data
        return data
    }

    /// Returns the value of an object that is not a container.
    ///
    /// - Throws: `.refusedClass` if the object's class does not represent a value.
    mutating func simple(_ object: Object) throws(ArchiveError) -> ArchivableValue {
        switch object.className {
        case "NSNull": return .null
        case "NSString", "NSMutableString": return .string(try text(of: object))
        case "NSData", "NSMutableData":
            guard case .data(let data) = try field("NS.data", of: object) else {
                throw object.wrong("NS.data", "the value is not data")
            }
            return .data(data)
        case "NSDate":
            switch try field("NS.time", of: object) {
            case .real(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
            case .integer(let seconds):
                return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
            default: throw object.wrong("NS.time", "the value is not a number of seconds")
            }
        case "NSUUID":
            guard case .data(let bytes) = try field("NS.uuidbytes", of: object), bytes.count == 16
            else { throw object.wrong("NS.uuidbytes", "the value does not consist of 16 bytes") }
            return .uuid(UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
        case "NSURL": return .url(try url(of: object))
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder":
            return .decimal(try decimal(of: object))
        default: throw .refusedClass(object.className, object: object.number)
        }
    }

    /// Returns the value under a key, or `nil` if there is no value.
    private mutating func field(
        _ key: String, of object: Object
    ) throws(ArchiveError) -> ArchivableValue? {
        guard let node = object.fields[key] else { return nil }
        return try value(node)
    }

    private mutating func text(of object: Object) throws(ArchiveError) -> String {
        if case .string(let text) = try field("NS.string", of: object) { return text }
        guard case .data(let utf8) = try field("NS.bytes", of: object) else {
            throw object.wrong("NS.string", "the value is not a string")
        }
        guard let text = String(validating: utf8, as: UTF8.self) else {
            throw object.wrong("NS.bytes", "the string is not valid UTF-8")
        }
        return text
    }

    private mutating func url(of object: Object) throws(ArchiveError) -> URL {
        guard case .string(let relative) = try field("NS.relative", of: object) else {
            throw object.wrong("NS.relative", "the value is not a string")
        }
        var base: URL?
        switch try field("NS.base", of: object) {
        case nil: break
        case .url(let url): base = url
        default: throw object.wrong("NS.base", "the base is not a URL")
        }
        guard let url = URL(string: relative, relativeTo: base) else {
            throw object.wrong("NS.relative", "the string is not a URL")
        }
        return url.absoluteURL
    }

    private mutating func decimal(of object: Object) throws(ArchiveError) -> Decimal {
        guard case .data(let mantissa) = try field("NS.mantissa", of: object),
            case .integer(let exponent) = try field("NS.exponent", of: object)
        else { throw object.wrong("NS.mantissa", "the mantissa or the exponent is missing") }
        var (wordCount, isBig, isNegative) = (8, false, false)
        if case .integer(let count) = try field("NS.length", of: object) {
            wordCount = Int(clamping: count)
        }
        if case .integer(let order) = try field("NS.mantissa.bo", of: object) { isBig = order == 2 }
        if case .boolean(let value) = try field("NS.negative", of: object) { isNegative = value }
        guard
            let decimal = ArchivedDecimal.decimal(
                mantissa: Array(mantissa), exponent: exponent, wordCount: wordCount,
                isBigEndian: isBig, isNegative: isNegative)
        else { throw object.wrong("NS.exponent", "the number is out of range") }
        return decimal
    }
}
