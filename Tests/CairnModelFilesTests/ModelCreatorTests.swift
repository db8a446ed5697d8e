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

    /// The versioned and the standalone models of the corpus.
    private static let locations =
        Corpus.all { ["xcdatamodeld", "momd"].contains($0.pathExtension) }
        .filter { (try? ModelVersions(contentsOf: $0)) != nil } + Corpus.compiled
        + Corpus.elements.map { $0.deletingLastPathComponent() }

    @Test(.enabled(if: Corpus.isThere), arguments: ModelForm.allCases)
    func `preserves every model of the corpus, with all versions`(_ form: ModelForm) throws {
        var count = 0
        for (number, location) in Self.locations.enumerated() {
            // Unversioned forms are written by the same code as each version of a versioned form, so a sample
            // is enough.
            if !form.isVersioned, number % 8 != 0 { continue }
            let model = try VersionedModel(contentsOf: location)
            if !form.isVersioned, model.currentName == nil { continue }
            let copy = folder.file("\(number).\(form.rawValue)")

            try ModelCreator.create(model, as: form, at: copy)
            let read = try VersionedModel(contentsOf: copy)

            let names = form.isVersioned ? model.names : [model.currentName].compactMap { $0 }
            for name in names {
                let before = try #require(model.versions[name])
                let after = try #require(
                    form.isVersioned ? read.versions[name] : read.versions.values.first)
                #expect(after.description == before.description, "\(location.path) \(name)")
                #expect(ModelChanges(from: before, to: after).isEmpty, "\(location.path) \(name)")
                for entity in before.entities where entity.isVersionHashExact {
                    // Source forms and single files record no hashes of derived attributes.
                    guard form == .momd || !entity.hasDerivedAttribute else { continue }
                    #expect(after.entity(named: entity.name)?.versionHash == entity.versionHash)
                }
            }
            if form.isVersioned {
                #expect(read.names == model.names)
                #expect(read.currentName == model.currentName)
            }
            count += 1
        }
        #expect(count >= (form.isVersioned ? 110 : 13))
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

    @Test(.enabled(if: Corpus.isThere))
    func `describes a difference between two versions exactly if they differ`() throws {
        var (pairCount, refusedCount) = (0, 0)
        for location in Self.locations {
            let model = try VersionedModel(contentsOf: location)
            for old in model.versions.values {
                for new in model.versions.values {
                    let changes = ModelChanges(from: old, to: new)
                    #expect(changes.isEmpty == (old.description == new.description))
                    #expect(changes.lines.isEmpty == changes.isEmpty, "\(location.path)")
                    #expect(!(changes.isEmpty && changes.requiresMigration))
                    let verdict = InferenceVerdict(changes, from: old, to: new)
                    if !verdict.isPossible { refusedCount += 1 }
                    pairCount += 1
                }
            }
        }
        print("\(pairCount) pairs of versions, \(refusedCount) of which need a mapping model")
        #expect(pairCount > 300)
    }
}
