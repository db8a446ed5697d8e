import Cairn
import FolderStore
import Foundation
import StoreFileSupport
import Testing

/// References, keys and versions in a whole-file store that no save would write.
@Suite struct `An error about wrong contents of a whole-file store` {
    // MARK: Folder stores, through the public builder

    @Test(arguments: [
        ("\"box\" : \"Box/2\"", "\"box\" : \"Mark/2\"", "“Item.box” leads to an object of another"),
        ("\"box\" : \"Box/2\"", "\"box\" : \"Box/0\"", "“Item.box” leads to the key 0"),
        ("\"box\" : \"Box/2\"", "\"box\" : \"Box/-2\"", "“Item.box” leads to the key -2"),
        ("\"version\" : 1", "\"version\" : 0", "its version is not greater than 0"),
        ("\"version\" : 1", "\"version\" : -1", "its version is not greater than 0"),
        ("\"aLong\"", "\"aLonk\"", "no object of the model"),
        ("\"key\" : 1", "\"key\" : 2", "no object of the model"),
    ])
    func `names the file of an object`(old: String, new: String, words: String) throws {
        let files = try SampleFiles("Folder")
        try files.replace(old, with: new, in: "Item-1.json")

        let damage = try files.damage()

        #expect(damage.location == "Item-1.json")
        #expect(damage.detail.contains(words), "\(damage.detail)")
    }

    @Test(arguments: [0, -1] as [Int64])
    func `names the file of an object whose key no save assigns`(_ key: Int64) throws {
        let files = try SampleFiles("Folder")
        let text = try files.text("Item-1.json").replacingOccurrences(
            of: "\"key\" : 1", with: "\"key\" : \(key)")
        try files.write(Array(text.utf8), "Item-\(key).json")
        let index = try files.text("store.json")
        try files.write(
            Array(
                index.replacingOccurrences(
                    of: "\"objectCount\" : 13", with: "\"objectCount\" : 14"
                ).utf8), "store.json")

        let damage = try files.damage()

        #expect(damage.location == "Item-\(key).json")
        #expect(damage.detail.contains("its key is not greater than 0"))
    }

    @Test(arguments: [
        ("\"member\" : \"Item/", "\"member\" : \"Mark/", "object of another entity"),
        ("\"owner\" : \"Box/", "\"owner\" : \"Box/-", "contains the key -"),
        ("\"relationship\" : \"next\"", "\"relationship\" : \"none\"", "of no relationship"),
        ("\"relationship\" : \"next\"", "\"relationship\" : \"marks\"", "of no relationship"),
    ])
    func `names the pair`(old: String, new: String, words: String) throws {
        let files = try SampleFiles("Folder")
        try files.replace(old, with: new, in: "store.json")

        let damage = try files.damage()

        #expect(damage.location.hasPrefix("store.json, pair "))
        #expect(damage.detail.contains(words), "\(damage.detail)")
    }

    @Test(arguments: [
        ("\"generation\" : 2", "\"generation\" : 18446744073709551615"),
        ("\"generation\" : 2", "\"generation\" : -1"),
        ("\"Box\" : 4", "\"Box\" : 0"), ("\"Box\" : 4", "\"Box\" : -9223372036854775808"),
    ])
    func `names the main file`(old: String, new: String) throws {
        let files = try SampleFiles("Folder")
        try files.replace(old, with: new, in: "store.json")

        let damage = try files.damage()

        #expect(damage.location == "store.json")
    }

    // MARK: Binary stores

    @Test(
        arguments: [
            (2, "Box", 0, "Box", "“Item.box” leads to the key 0, which is not greater than 0"),
            (2, "Box", -2, "Box", "“Item.box” leads to the key -2, which is not greater than 0"),
        ] as [(Int64, String, Int64, String, String)])
    func `names the row of a binary file`(
        key: Int64, entity: String, newKey: Int64, newEntity: String, words: String
    ) throws {
        let files = try SampleFiles(.binary)
        let (row, offset) = try files.row("Item", 1)
        let rowEnd = offset + row.byteCount
        var bytes = try files.bytes()
        let old = try reference(key, entity, files)
        let start = try #require(Data(bytes[offset..<rowEnd]).range(of: old)).lowerBound + offset
        bytes.replaceSubrange(
            start..<start + old.count, with: try reference(newKey, newEntity, files))
        try files.write(bytes)

        let damage = try files.damage()

        #expect(damage.location.hasPrefix("the section at byte "))
        #expect(damage.detail == "Item 1: " + words)
    }

    /// Returns a to-one reference as rows contain it: the key, then the number of the concrete entity.
    private func reference(_ key: Int64, _ entity: String, _ files: SampleFiles) throws -> Data {
        let number = try #require(files.model.entity(named: entity)).number.rawValue
        return withUnsafeBytes(of: key.littleEndian) { Data($0) }
            + withUnsafeBytes(of: number.littleEndian) { Data($0) }
    }

    @Test func `names the section of a pair that occurs twice`() throws {
        let files = try SampleFiles(.binary)
        var bytes = try files.bytes()
        // The last section contains the pairs of Box.next, of 40 bytes each, before the checksum.
        let end = bytes.count - 8
        bytes.replaceSubrange(end - 40..<end, with: bytes[(end - 80)..<(end - 40)])
        try files.write(bytes)

        let damage = try files.damage()

        #expect(damage.location.hasPrefix("the section at byte "))
        #expect(damage.detail.contains("the pairs are not sorted"), "\(damage.detail)")
    }

    @Test func `names the generation of a binary file`() throws {
        let files = try SampleFiles(.binary)
        var bytes = try files.bytes()
        bytes.replaceSubrange(32..<40, with: [UInt8](repeating: 255, count: 8))
        try files.write(bytes)

        let damage = try files.damage()

        #expect(damage.location == "the generation, bytes 32 to 40")
    }

    // MARK: XML

    /// Returns a document of two boxes and two marks. Each object begins a line.
    private func document(_ objects: String) -> [UInt8] {
        Array(
            """
            <?xml version="1.0"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
            <database><databaseInfo><version>134481920</version>
            <UUID>4B585ECC-BF2A-4838-A4CE-6645EA7A4315</UUID><nextObjectID>9</nextObjectID>
            <metadata></metadata></databaseInfo>
            <object type="BOX" id="z1"></object>
            <object type="MARK" id="z2"></object>
            \(objects)
            </database>
            """.utf8)
    }

    @Test(arguments: [
        ("<relationship name=\"box\" idrefs=\"z2\"></relationship>", "leads to z2"),
        ("<relationship name=\"box\" idrefs=\"z1 z1\"></relationship>", "several destinations"),
        ("<relationship name=\"marks\" idrefs=\"z1\"></relationship>", "has z1"),
        ("<attribute name=\"aLong\">1</attribute><attribute name=\"aLong\">1</attribute>", "twice"),
        ("<attribute name=\"aLong\">1</attribute><attribute name=\"ALONG\">2</attribute>", "twice"),
        (
            "<relationship name=\"box\" idrefs=\"z1\"></relationship>"
                + "<relationship name=\"box\"></relationship>", "twice"
        ),
        (
            "<relationship name=\"marks\" idrefs=\"z2\"></relationship>"
                + "<relationship name=\"marks\" idrefs=\"z2\"></relationship>", "twice"
        ),
    ])
    func `names the line`(element: String, words: String) throws {
        let files = try SampleFiles(.xml)
        try files.write(document("<object type=\"ITEM\" id=\"z3\">\(element)</object>"))

        let damage = try files.damage()

        #expect(damage.location == "line 8")
        #expect(damage.detail.contains(words), "\(damage.detail)")
    }

    @Test func `is not thrown for a reference to a missing object`() throws {
        let files = try SampleFiles(.xml)
        let element = "<relationship name=\"box\" idrefs=\"z77\"></relationship>"
        try files.write(document("<object type=\"ITEM\" id=\"z3\">\(element)</object>"))

        let lines = try SampleModel.readAll(try files.open(isReadOnly: true))

        #expect(lines.contains { $0.hasPrefix("Item 3 v1") })
    }
}
