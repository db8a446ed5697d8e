import CairnModel
import CairnModelFiles
import CairnTestSupport
import Foundation
import Testing

@Suite(.enabled(if: Corpus.isThere)) struct `Model files of the corpus` {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The versioned and the standalone models of the corpus.
    private static let locations =
        Corpus.all { ["xcdatamodeld", "momd"].contains($0.pathExtension) }
        .filter { (try? ModelVersions(contentsOf: $0)) != nil } + Corpus.compiled
        + Corpus.elements.map { $0.deletingLastPathComponent() }

    @Test(arguments: ModelForm.allCases)
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

    @Test func `describes a difference between two versions exactly if they differ`() throws {
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
