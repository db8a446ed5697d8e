import Cairn
import Foundation

/// Fills a store with the same objects each time, except for the keys, which the engine chooses.
struct KeptContent {
    let context: ManagedObjectContext
    let largeValueByteCount: Int

    init(_ context: ManagedObjectContext, largeValueByteCount: Int) {
        self.context = context
        self.largeValueByteCount = largeValueByteCount
    }

    /// Creates all objects in several saves, so that their keys have a known order.
    func make() throws {
        let folders = try (1...3).map { try insert("Folder", ["name": "folder \($0)"]) }
        let labels = try (1...3).map { try insert("Label", ["name": "label \($0)"]) }
        let tags = try (1...3).map { try insert("Tag", ["name": "tag \($0)"]) }
        try folders[1].setValue(folders[0], forKey: "parent")
        try folders[2].setValue(folders[0], forKey: "parent")
        try folders[0].objects("neighbours").insert(folders[1])
        try folders[2].objects("neighbours").insert(folders[2])

        let documents = try (1...4).map { try insert("Document", values($0)) }
        let empty = try insert("Document", [:])
        let pictures = try (1...3).map { number in
            var values = values(number + 4)
            values["width"] = Int16(number)
            values["pixels"] = pixels(number)
            return try insert("Picture", values)
        }
        try insert("Picture", [:])

        try documents[0].setValue(pictures[0], forKey: "cover")
        try documents[1].setValue(documents[0], forKey: "cover")
        try documents[1].setValue(documents[0], forKey: "original")
        try pictures[2].setValue(documents[0], forKey: "original")
        try empty.setValue(pictures[1], forKey: "original")
        for item in [pictures[2], documents[0], pictures[0], documents[3]] {
            try folders[0].orderedObjects("items").append(item)
        }
        for item in [documents[2], documents[1]] {
            try folders[1].orderedObjects("items").append(item)
        }
        try folders[1].objects("pinned").insert(pictures[1])
        try folders[1].objects("pinned").insert(documents[0])
        for (number, item) in (documents + pictures).enumerated() {
            try item.objects("tags").insert(tags[number % 3])
            try item.orderedObjects("labels").append(labels[(number + 1) % 3])
            try item.orderedObjects("labels").append(labels[number % 3])
        }
        try context.save()

        // Gives some rows a second version, and leaves an unused key.
        try documents[3].setValue("changed", forKey: "title")
        try context.delete(documents[2])
        try context.save()
    }

    @discardableResult
    private func insert(_ entity: String, _ values: [String: Any]) throws -> ManagedObject {
        let object = try context.insertNewObject(forEntityName: entity)
        for (key, value) in values { try object.setValue(value, forKey: key) }
        // Saves each object separately, so that keys have the order of creation.
        try context.save()
        return object
    }

    /// Returns values that each engine preserves exactly.
    private func values(_ number: Int) -> [String: Any] {
        let texts = ["plain", "", "<&\"'> \t", "line\nline", "😀é"]
        let doubles = [0, 1.5, .pi, 1e-300, -.greatestFiniteMagnitude]
        let date = Date(timeIntervalSinceReferenceDate: Double(number) * 1_000_000.5)
        var values: [String: Any] = [
            "title": "title \(number)", "rank": Int64(number) << 40,
            "aBoolean": number % 2 == 0, "aDate": date,
            "aDecimal": Decimal(number * 1_001) / 100, "aDouble": doubles[number % 5],
            "aFloat": Float(number) / 3, "aShort": Int16.min + Int16(number),
            "aLong": Int32.max - Int32(number), "aLonger": Int64.min + Int64(number),
            "aText": texts[number % 5],
            "bytes": Data((0..<number * 7).map { UInt8($0) }),
            "shape": Data("shape \(number)".utf8),
            "place": [
                "town": "town \(number)", "exact": ["x": Double(number), "y": -0.5],
            ] as [String: Any],
        ]
        values["aURI"] = URL(string: "https://example.org/\(number)?a=b&c=%20")
        values["aUUID"] = UUID(uuidString: "00000000-0000-4000-8000-00000000000\(number)")
        return values
    }

    /// Returns the pixels of a picture. Only those of the second picture are large.
    private func pixels(_ number: Int) -> Data {
        let count = number == 2 ? largeValueByteCount : 20
        return Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 100 + number) })
    }
}
