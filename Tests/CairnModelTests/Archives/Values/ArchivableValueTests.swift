import Foundation
import Testing

@testable import CairnModel

@Suite struct `A value in a keyed archive` {
    private typealias Node = BinaryPropertyList.Node

    private static let values: [ArchivableValue] = [
        .null, true, false, 0, -1, 70_000, .integer(.min), .integer(.max), .unsigned(.max), 2.5,
        .real(-0.0), .real(.nan), .real(.infinity), .decimal(0), .decimal(.nan),
        .decimal(Decimal(string: "-12345678901234567890.123") ?? 0), "", "text", "größe 🗿",
        .date(Date(timeIntervalSinceReferenceDate: -0.5)), .data(Data()), .data(Data([0, 255])),
        .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
        .url(URL(fileURLWithPath: "/tmp/a b")), [], [1, ["a", [true]], .null], .set([1, "a", [2]]),
        .set([]), .orderedSet(["b", "a"]), .orderedSet([]), [:], ["a": 1, "b": ["c": .null]],
        [1: "number", .date(Date(timeIntervalSinceReferenceDate: 1)): "date", ["list"]: "list"],
        // These values are equal only to themselves, so each keeps its exact bytes.
        ["\u{E9}", "e\u{301}", 1, 1.0, true, .real(0), .real(-0.0), .decimal(1)],
        .string("$null"), ["$null", "$class"],
    ]

    @Test(arguments: values) func `is read with the value that was written`(
        _ value: ArchivableValue
    ) throws {
        let archive = try value.keyedArchive()

        #expect(try ArchivableValue(keyedArchive: archive) == value)
    }

    @Test func `has the same bytes as an equal value`() throws {
        let names = (0..<100).map { ArchivableValue.string("key \($0)") }
        let entries = names.map { ($0, ArchivableValue.set(Set(names.prefix(20)))) }
        let one = ArchivableValue.dictionary(
            Dictionary(entries, uniquingKeysWith: { first, _ in first }))
        let other = ArchivableValue.dictionary(
            Dictionary(entries.reversed(), uniquingKeysWith: { first, _ in first }))

        #expect(try one.keyedArchive() == other.keyedArchive())
    }

    @Test func `can be read by Foundation's secure unarchiver`() throws {
        let value: ArchivableValue = [
            "list": ["a", 1, 2.5, true], "date": .date(Date(timeIntervalSinceReferenceDate: 9)),
            "uuid": .uuid(UUID()), "set": .set(["b"]), "ordered": .orderedSet(["d", "c"]),
            "data": .data(Data([1, 2])), "url": .url(URL(fileURLWithPath: "/tmp")),
            "null": .null,
        ]

        // Decimals are excluded: Foundation on Linux lacks the class that Apple's archives name for them.
        let theirs = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [
                NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSDate.self,
                NSUUID.self, NSSet.self, NSOrderedSet.self, NSData.self, NSURL.self,
                NSNull.self,
            ], from: try value.keyedArchive())

        let entries = try #require(theirs as? [String: Any])
        #expect(
            Set(entries.keys) == [
                "list", "date", "uuid", "set", "ordered", "data", "url", "null",
            ])
        #expect((entries["list"] as? [Any])?.first as? String == "a")
        #expect(entries["date"] as? Date == Date(timeIntervalSinceReferenceDate: 9))
        #expect((entries["ordered"] as? NSOrderedSet)?.array as? [String] == ["d", "c"])
        #expect(entries["data"] as? Data == Data([1, 2]))
    }

    @Test func `can be read from an archive that Foundation wrote`() throws {
        let theirs = NSMutableDictionary(dictionary: [
            "list": NSMutableArray(array: [NSNumber(value: 1), NSNull()]),
            "text": NSMutableString(string: "größe"), "data": NSMutableData(data: Data([1])),
            "set": NSMutableSet(array: ["a"]), "date": NSDate(timeIntervalSinceReferenceDate: 3),
            "ordered": NSMutableOrderedSet(array: ["b", "a"]),
        ])
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: theirs, requiringSecureCoding: true)

        let expected: ArchivableValue = [
            "list": [1, .null], "text": "größe", "data": .data(Data([1])), "set": .set(["a"]),
            "date": .date(Date(timeIntervalSinceReferenceDate: 3)),
            "ordered": .orderedSet(["b", "a"]),
        ]
        #expect(try ArchivableValue(keyedArchive: archive) == expected)
    }

    // MARK: Archives that are refused

    /// Returns an archive of objects that are described by their nodes. The first object is the root.
    private func archive(
        _ build: (inout KeyedArchiveBuilder) -> Int
    ) -> Data {
        var builder = KeyedArchiveBuilder()
        let root = build(&builder)
        return Data(builder.finish(root: root))
    }

    @Test(arguments: [
        "NSObject", "NSAttributedString", "NSValue", "NSArray2", "nsarray", "MyApp.Note", "NSColor",
        "",
    ]) func `of a class that is not listed is refused by its name`(_ name: String) {
        let data = archive { builder in
            let inner = builder.add(name, [("NS.string", .string("text"))])
            return builder.add(list: [inner])
        }

        #expect(throws: ArchiveError.refusedClass(name, object: 1)) {
            try ArchivableValue(keyedArchive: data)
        }
    }

    @Test func `of a class that only claims to be a subclass of a listed one is refused`() {
        // The archive lists a false `$classes` chain: only the class name counts, not the superclasses that
        // the archive claims.
        let data = archive { builder in
            let names = ["Gadget", "NSArray", "NSObject"].map { builder.intern(.string($0)) }
            let claim = builder.intern(
                .dictionary(
                    keys: ["$classname", "$classes"].map { builder.intern(.string($0)) },
                    values: [names[0], builder.intern(.array(names))]))
            let classNumber = builder.reserve()
            builder.objects[classNumber] = claim
            let root = builder.reserve()
            builder.objects[root] = builder.intern(
                .dictionary(
                    keys: ["$class", "NS.objects"].map { builder.intern(.string($0)) },
                    values: [builder.intern(.reference(classNumber)), builder.intern(.array([]))]))
            return root
        }

        #expect(throws: ArchiveError.self) { try ArchivableValue(keyedArchive: data) }
    }

    @Test func `that contains itself is refused`() {
        let direct = archive { builder in
            let root = builder.reserve()
            let list = builder.add(list: [root])
            builder.objects[root] = builder.objects[list]
            return root
        }
        let indirect = archive { builder in
            let root = builder.reserve()
            let inner = builder.add(list: [root])
            let outer = builder.add(list: [inner], as: "NSSet")
            builder.objects[root] = builder.objects[outer]
            return root
        }

        #expect(throws: ArchiveError.cyclic(object: 1)) {
            try ArchivableValue(keyedArchive: direct)
        }
        #expect(throws: ArchiveError.self) { try ArchivableValue(keyedArchive: indirect) }
    }

    @Test func `may be nested up to a limit, both when written and when read`() throws {
        func nested(_ depth: Int) -> ArchivableValue {
            (1..<depth).reduce("deep") { inner, _ in [inner] }
        }
        let limit = ArchivableValue.depthLimit

        let archive = try nested(limit).keyedArchive()

        #expect(try ArchivableValue(keyedArchive: archive) == nested(limit))
        #expect(throws: ArchiveError.tooDeep(limit: limit)) { try nested(limit + 1).keyedArchive() }
        let deeper = self.archive { builder in
            var number = builder.add(list: [])
            for _ in 0...limit { number = builder.add(list: [number]) }
            return number
        }
        #expect(throws: ArchiveError.tooDeep(limit: limit)) {
            try ArchivableValue(keyedArchive: deeper)
        }
    }

    @Test func `that expands to too many values is refused`() {
        // 30 levels, each of which contains the next lower level twice.
        let bomb = archive { builder in
            (0..<30).reduce(builder.add(list: [])) { inner, _ in builder.add(list: [inner, inner]) }
        }
        // A text of a million characters that is the key of many dictionaries.
        let heavy = archive { builder in
            let key = builder.add(node: .string(String(repeating: "x", count: 1_000_000)))
            let value = builder.add(node: .integer(1))
            let one = builder.add(dictionary: [(key: key, value: value)])
            return builder.add(list: Array(repeating: one, count: 10_000))
        }

        let limit = ArchivableValue.sharedValueLimit
        #expect(throws: ArchiveError.tooManyValues(limit: limit)) {
            try ArchivableValue(keyedArchive: bomb)
        }
        #expect(throws: ArchiveError.tooManyValues(limit: limit)) {
            try ArchivableValue(keyedArchive: heavy)
        }
    }

    @Test func `that is large, but shares nothing, is read`() throws {
        let value = ArchivableValue.array((0..<20_000).map { .string("text \($0)") })

        #expect(try ArchivableValue(keyedArchive: value.keyedArchive()) == value)
    }

    @Test(
        arguments: [
            ("NSString", "NS.string", .integer(1)), ("NSString", "NS.bytes", .data([0xFF])),
            ("NSDate", "NS.time", .string("now")), ("NSUUID", "NS.uuidbytes", .data([1, 2])),
            ("NSURL", "NS.relative", .integer(1)), ("NSData", "NS.data", .string("x")),
            ("NSArray", "NS.objects", .integer(1)), ("NSDictionary", "NS.keys", .integer(1)),
            ("NSDecimalNumber", "NS.mantissa", .integer(1)),
            ("NSArray", "NS.object.0", .reference(0)), ("NSArray", "NS.object.0", .reference(99)),
        ] as [(String, String, BinaryPropertyList.Node)])
    func `with a field of a wrong kind is refused`(
        _ className: String, _ key: String, _ node: BinaryPropertyList.Node
    ) {
        let data = archive { $0.add(className, [(key, node)]) }

        #expect(throws: ArchiveError.self) { try ArchivableValue(keyedArchive: data) }
    }

    @Test func `with keys without values, or equal keys, is refused`() {
        let uneven = archive { builder in
            let key = builder.intern(.reference(builder.add(node: .string("a"))))
            return builder.add(
                "NSDictionary", [("NS.keys", .array([key])), ("NS.objects", .array([]))])
        }
        let double = archive { builder in
            let key = builder.add(node: .string("a"))
            return builder.add(dictionary: [(key: key, value: key), (key: key, value: key)])
        }

        #expect(throws: ArchiveError.self) { try ArchivableValue(keyedArchive: uneven) }
        #expect(throws: ArchiveError.self) { try ArchivableValue(keyedArchive: double) }
    }

    @Test(arguments: [Data(), Data("text".utf8), Data("bplist00".utf8), Data([0xFF, 0xD8, 0xFF])])
    func `in bytes that are not an archive is refused`(_ data: Data) {
        #expect(throws: ArchiveError.self) { try ArchivableValue(keyedArchive: data) }
        #expect(throws: ArchiveError.self) { try ArchivableValue(propertyList: data) }
    }
}
