import CairnModel
import CairnModelFiles
import CairnTestSupport
import Foundation
import Testing

@Suite struct `Creating model files` {
    private let folder: TemporaryFolder
    private static let book = EntityDescription("Book", [.attribute("title", .string)])

    init() throws { folder = try TemporaryFolder() }

    private static func model(_ entity: EntityDescription = book) throws -> VersionedModel {
        VersionedModel(
            versions: ["Library": try ManagedObjectModel([entity])], currentName: "Library")
    }

    @Test(arguments: ModelForm.allCases)
    func `does not overwrite an existing file`(_ form: ModelForm) throws {
        let location = folder.file("Library.\(form.rawValue)")
        try Data("a letter".utf8).write(to: location)

        #expect(throws: ModelError.exists(location)) {
            try ModelCreator.create(Self.model(), as: form, at: location)
        }

        #expect(try Data(contentsOf: location) == Data("a letter".utf8))
    }

    @Test(arguments: ModelForm.allCases)
    func `throws an error if the folder is missing or not writable`(_ form: ModelForm) throws {
        let location = folder.file("missing").appending(path: "Library.\(form.rawValue)")
        let file = folder.file("file")
        try Data().write(to: file)
        let inFile = file.appending(path: "Library.\(form.rawValue)")

        for target in [location, inFile] {
            let error = #expect(throws: ModelError.self) {
                try ModelCreator.create(Self.model(), as: form, at: target)
            }
            #expect(error?.description.contains("does not exist") == true)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["file"])
    }

    @Test func `reports what a source model cannot express, and writes nothing`() throws {
        var cover = AttributeDescription("cover", .binary)
        cover.defaultValue = .binary(Data([1, 2, 3]))
        let model = try Self.model(EntityDescription("Book", [.attribute(cover)]))
        let location = folder.file("Library.xcdatamodeld")

        let error = #expect(throws: ModelError.self) {
            try ModelCreator.create(model, as: .xcdatamodeld, at: location)
        }

        #expect(
            error?.description.contains("attribute cover no longer has the default value 3 bytes")
                == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    }

    @Test func `finds the versions that fit a store`() throws {
        var second = Self.book
        second.properties.append(.attribute("isbn", .string))
        let model = VersionedModel(
            versions: [
                "V10": try ManagedObjectModel([second]), "V9": try ManagedObjectModel([Self.book]),
            ], currentName: "V10")
        let recorded = try ManagedObjectModel([Self.book]).entityVersionHashes

        #expect(model.names == ["V9", "V10"])
        #expect(model.names(compatibleWith: recorded) == ["V9"])
        #expect(model.names(compatibleWith: ["Shelf": VersionHash([])]) == [])
    }
}
