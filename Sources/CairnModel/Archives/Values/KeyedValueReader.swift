import Foundation

/// Reads the value in a keyed archive, and refuses every class that does not represent a value.
struct KeyedValueReader {
    private typealias Node = BinaryPropertyList.Node

    let archive: KeyedArchive
    var budget: ValueBudget
    /// The numbers of the objects that are being read. Meeting one of them again means a cycle.
    private var open: Set<Int> = []
    /// Data by node index, so that shared data is copied only once.
    var knownData: [Int: Data] = [:]
    /// Class names by object number, so that each class is decoded only once.
    private var knownClasses: [Int: String] = [:]

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

    /// Returns the value of a node, which is a reference or a plain value. Returns `nil` if it refers to nil.
    mutating func value(_ node: Int) throws(ArchiveError) -> ArchivableValue? {
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
    struct Object {
        let number: Int
        let className: String
        let fields: [String: Int]

        func wrong(_ key: String, _ detail: String) -> ArchiveError {
            .wrongValue(object: "object \(number) (\(className))", key: key, detail: detail)
        }
    }

    private mutating func className(
        of fields: [String: Int], _ number: Int
    ) throws(ArchiveError) -> String {
        guard let node = fields["$class"],
            case .reference(let classNumber) = archive.list.nodes[node]
        else { throw Self.hasNoClass(number) }
        if let known = knownClasses[classNumber] { return known }
        guard archive.objects.indices.contains(classNumber),
            let description = archive.list.members(of: archive.objects[classNumber]),
            let nameNode = description["$classname"],
            case .string(let name) = archive.list.nodes[nameNode]
        else { throw Self.hasNoClass(number) }
        knownClasses[classNumber] = name
        return name
    }

    private static func hasNoClass(_ number: Int) -> ArchiveError {
        .wrongValue(object: "object \(number)", key: "$class", detail: "the object has no class")
    }

    /// Returns the value of an object of a container class, or `nil` if its class is not a container class.
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

    /// Returns the members of an array or set. They are in one list, or, in ordered sets, each under a key
    /// such as `NS.object.0`.
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
        else { throw object.wrong(key, "the value is not a list of members") }
        try budget.spend(members.count)
        var values: [ArchivableValue] = []
        values.reserveCapacity(members.count)
        for index in members { values.append(try member(index, of: object, key)) }
        return values
    }

    private mutating func member(
        _ node: Int, of object: Object, _ key: String
    ) throws(ArchiveError) -> ArchivableValue {
        guard let value = try value(node) else { throw object.wrong(key, "a member is nil") }
        return value
    }
}

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

/// Limits the number of values that are read from an archive or property list.
///
/// Containers can share members, so a small hostile archive can expand to a huge value. An archive whose
/// members are not shared has fewer values than bytes.
struct ValueBudget {
    private var left: Int

    init(byteCount: Int) {
        left = byteCount + ArchivableValue.sharedValueLimit
    }

    /// Subtracts values that were read from the budget.
    ///
    /// - Throws: `.tooManyValues` if the budget is exceeded.
    mutating func spend(_ count: Int) throws(ArchiveError) {
        left -= count
        guard left >= 0 else {
            throw .tooManyValues(limit: ArchivableValue.sharedValueLimit)
        }
    }

    /// Subtracts one value of `byteCount` bytes. Long values cost more because they may be hashed or copied.
    mutating func spend(valueOf byteCount: Int) throws(ArchiveError) {
        try spend(1 + byteCount / 64)
    }
}
