import Foundation

/// Reads the value that a keyed archive holds, and refuses every class that stands for none.
struct KeyedValueReader {
    private typealias Node = BinaryPropertyList.Node

    private let archive: KeyedArchive
    private var budget: ValueBudget
    /// The numbers of the objects that are being read: one of them inside of itself is a cycle.
    private var open: Set<Int> = []
    /// Data by node, so that shared data are copied once.
    private var knownData: [Int: Data] = [:]

    static func value(of bytes: [UInt8]) throws(ArchiveError) -> ArchivableValue {
        let archive = try KeyedArchive(bytes)
        var reader = KeyedValueReader(
            archive: archive, budget: ValueBudget(byteCount: bytes.count))
        return try reader.value(archive.rootReference) ?? .null
    }

    private init(archive: KeyedArchive, budget: ValueBudget) {
        self.archive = archive
        self.budget = budget
    }

    // MARK: Objects

    /// The value of a node, which is a reference or a plain value. Returns `nil` for a reference to nil.
    private mutating func value(_ node: Int) throws(ArchiveError) -> ArchivableValue? {
        guard case .reference(let number) = archive.list.nodes[node] else {
            return try plain(node)
        }
        guard archive.objects.indices.contains(number) else {
            throw KeyedArchive.dangling(number)
        }
        let target = archive.objects[number]
        switch archive.list.nodes[target] {
        case .string("$null") where number == 0: return nil
        case .dictionary: return try value(ofObject: number, target)
        default: return try plain(target)
        }
    }

    private mutating func value(
        ofObject number: Int, _ node: Int
    ) throws(ArchiveError) -> ArchivableValue {
        guard open.insert(number).inserted else { throw .cyclic(object: number) }
        guard open.count <= ArchivableValue.depthLimit else {
            throw .tooDeep(limit: ArchivableValue.depthLimit)
        }
        defer { open.remove(number) }
        let fields = archive.list.members(of: node) ?? [:]
        try budget.spend(1 + fields.count)
        let object = Object(
            number: number, className: try className(of: fields, number), fields: fields)
        if let container = try container(object) { return container }
        return try simple(object)
    }

    /// An object that is being read.
    private struct Object {
        let number: Int
        let className: String
        let fields: [String: Int]

        func wrong(_ key: String, _ detail: String) -> ArchiveError {
            .wrongValue(object: "object \(number), a \(className)", key: key, detail: detail)
        }
    }

    private func className(
        of fields: [String: Int], _ number: Int
    ) throws(ArchiveError) -> String {
        guard let node = fields["$class"], case .reference(let place) = archive.list.nodes[node],
            archive.objects.indices.contains(place),
            case .dictionary(let keys, let values) = archive.list.nodes[archive.objects[place]],
            let index = keys.firstIndex(where: { archive.list.nodes[$0] == .string("$classname") }),
            case .string(let name) = archive.list.nodes[values[index]]
        else {
            throw .wrongValue(
                object: "object \(number)", key: "$class", detail: "the object has no class")
        }
        return name
    }

    /// The value of an object whose class is a container's. Returns `nil` for another class.
    private mutating func container(_ object: Object) throws(ArchiveError) -> ArchivableValue? {
        switch object.className {
        case "NSArray", "NSMutableArray": return .array(try members(of: object))
        case "NSOrderedSet", "NSMutableOrderedSet":
            let members = try members(of: object)
            guard Set(members).count == members.count else {
                throw object.wrong("NS.objects", "a member of an ordered set occurs twice")
            }
            return .orderedSet(members)
        case "NSSet", "NSMutableSet": return .set(Set(try members(of: object)))
        case "NSDictionary", "NSMutableDictionary":
            let keys = try list("NS.keys", of: object)
            let values = try list("NS.objects", of: object)
            guard keys.count == values.count else {
                throw object.wrong(
                    "NS.keys", "there are \(keys.count) keys for \(values.count) values")
            }
            var entries: [ArchivableValue: ArchivableValue] = [:]
            for (key, value) in zip(keys, values) {
                guard entries.updateValue(value, forKey: key) == nil else {
                    throw object.wrong("NS.keys", "a key occurs twice")
                }
            }
            return .dictionary(entries)
        default: return nil
        }
    }

    /// The members of an array or set: in one list, or each under a key of its own, as ordered sets
    /// have them.
    private mutating func members(of object: Object) throws(ArchiveError) -> [ArchivableValue] {
        if object.fields["NS.objects"] != nil { return try list("NS.objects", of: object) }
        var members: [ArchivableValue] = []
        while let node = object.fields["NS.object.\(members.count)"] {
            members.append(try member(node, of: object, "NS.object.\(members.count)"))
        }
        return members
    }

    private mutating func list(
        _ key: String, of object: Object
    ) throws(ArchiveError) -> [ArchivableValue] {
        guard let node = object.fields[key], case .array(let members) = archive.list.nodes[node]
        else { throw object.wrong(key, "there is no list of members") }
        try budget.spend(members.count)
        var values: [ArchivableValue] = []
        values.reserveCapacity(members.count)
        for place in members { values.append(try member(place, of: object, key)) }
        return values
    }

    private mutating func member(
        _ node: Int, of object: Object, _ key: String
    ) throws(ArchiveError) -> ArchivableValue {
        guard let value = try value(node) else { throw object.wrong(key, "a member is nil") }
        return value
    }
}

// MARK: Values that are not containers

extension KeyedValueReader {
    private mutating func plain(_ node: Int) throws(ArchiveError) -> ArchivableValue {
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

    private mutating func simple(_ object: Object) throws(ArchiveError) -> ArchivableValue {
        switch object.className {
        case "NSNull": return .null
        case "NSString", "NSMutableString": return .string(try text(of: object))
        case "NSData", "NSMutableData":
            guard case .data(let data) = try field("NS.data", of: object) else {
                throw object.wrong("NS.data", "there are no data")
            }
            return .data(data)
        case "NSDate":
            switch try field("NS.time", of: object) {
            case .real(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
            case .integer(let seconds):
                return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
            default: throw object.wrong("NS.time", "there is no number of seconds")
            }
        case "NSUUID":
            guard case .data(let bytes) = try field("NS.uuidbytes", of: object), bytes.count == 16
            else { throw object.wrong("NS.uuidbytes", "there are no 16 bytes") }
            return .uuid(UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
        case "NSURL": return .url(try url(of: object))
        case "NSDecimalNumber", "NSDecimalNumberPlaceholder":
            return .decimal(try decimal(of: object))
        default: throw .refusedClass(object.className, object: object.number)
        }
    }

    /// The value under a key, which is one without a class or one of the classes above. Returns `nil`
    /// if there is none.
    private mutating func field(
        _ key: String, of object: Object
    ) throws(ArchiveError) -> ArchivableValue? {
        guard let node = object.fields[key] else { return nil }
        return try value(node)
    }

    private mutating func text(of object: Object) throws(ArchiveError) -> String {
        if case .string(let text) = try field("NS.string", of: object) { return text }
        guard case .data(let utf8) = try field("NS.bytes", of: object) else {
            throw object.wrong("NS.string", "there is no text")
        }
        guard let text = String(validating: utf8, as: UTF8.self) else {
            throw object.wrong("NS.bytes", "the text is not UTF-8")
        }
        return text
    }

    private mutating func url(of object: Object) throws(ArchiveError) -> URL {
        guard case .string(let relative) = try field("NS.relative", of: object) else {
            throw object.wrong("NS.relative", "there is no text")
        }
        var base: URL?
        switch try field("NS.base", of: object) {
        case nil: break
        case .url(let url): base = url
        default: throw object.wrong("NS.base", "the base is no URL")
        }
        guard let url = URL(string: relative, relativeTo: base) else {
            throw object.wrong("NS.relative", "the text is no URL")
        }
        return url.absoluteURL
    }

    private mutating func decimal(of object: Object) throws(ArchiveError) -> Decimal {
        guard case .data(let mantissa) = try field("NS.mantissa", of: object),
            case .integer(let exponent) = try field("NS.exponent", of: object)
        else { throw object.wrong("NS.mantissa", "there is no mantissa or no exponent") }
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
