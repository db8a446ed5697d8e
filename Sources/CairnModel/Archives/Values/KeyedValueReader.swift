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
