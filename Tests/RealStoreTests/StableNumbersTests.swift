import Cairn
import CairnTestSupport
import CoreDataCheckSupport
import Foundation
import GraphSupport
import Testing

/// A store can be opened with a model that has more entities and therefore numbers its entities differently.
@Suite struct `Stable numbers` {
    private static let kept = KeptStore.ours + KeptStore.coreData

    @Test(arguments: kept, LargerModel.allCases)
    func `let a kept store dump the same with a larger model`(
        _ kept: KeptStore, _ larger: LargerModel
    ) throws {
        let copy = try CopyWithLargerModel(kept, larger)
        let model = copy.model

        let dump = try copy.opened.shortDump()

        #expect(try dump == kept.expectedDump())
        #expect(try copy.opened.problems() == [])
        // A subentity of the only entity also comes last.
        let isLast = larger == .behind || larger == .below && model.entities.count == 1
        #expect(try changesNumbers(larger, of: model) != isLast)
    }

    @Test(arguments: kept, LargerModel.allCases)
    func `keep a store intact that is saved with a larger model`(
        _ kept: KeptStore, _ larger: LargerModel
    ) throws {
        let copy = try CopyWithLargerModel(kept, larger)
        let (store, model, new) = (copy.store, copy.model, copy.newNames)
        let before = try store.shortDump()

        let log = try copy.opened.edit { edit in
            edit.omitted = new
            try edit.insertOneOfEach()
            try edit.updateOneOfEach()
            try edit.relateInserted()
        }

        let after = try copy.opened.shortDump()
        #expect(after.count > before.count)
        #expect(log.inserted.count == model.entities.count { !$0.isAbstract })
        #expect(log.relatedPairs > 0 || model.entities.allSatisfy(\.relationships.isEmpty))
        #expect(try copy.opened.problems() == [])
        if everyWholeFileEngine.contains(kept.type) {
            // After the file was rewritten with the larger model, the smaller model is refused.
            #expect(try isRefused(store, with: model))
        } else {
            #expect(try store.shortDump() == after)
            #expect(try store.problems() == [])
        }
        if kept.type == .sqlite {
            let check = CoreDataStoreCheck(sql: try PlainSQL(store.url), model: model)
            #expect(try check.problems() == [])
        }
    }

    @Test(arguments: kept, LargerModel.allCases)
    func `allow objects of a new entity, or refuse them without writing anything`(
        _ kept: KeptStore, _ larger: LargerModel
    ) throws {
        let copy = try CopyWithLargerModel(kept, larger)
        let (store, new) = (copy.store, copy.newNames)
        let before = try store.shortDump()

        for name in new.sorted() {
            let insertion = Result {
                try copy.opened.edit { edit in
                    edit.omitted = new
                    try edit.insertOne(of: name)
                }
            }
            if everyWholeFileEngine.contains(kept.type) {
                #expect(try insertion.get().inserted.count == 1)
            } else {
                let error = #expect(throws: GraphError.self) { try insertion.get() }
                guard case .entityNotTaken(let entity, _, .addedToModelLater)? = error else {
                    Issue.record("refused with \(String(describing: error))")
                    continue
                }
                #expect(entity == name)
            }
        }

        let after = try copy.opened.shortDump()
        #expect(after.filter { before.contains($0) } == before)
        let added = after.filter { $0.contains(#""newText":"cairn title "#) }
        #expect(added.count == (everyWholeFileEngine.contains(kept.type) ? new.count : 0))
        if added.isEmpty { #expect(after == before) }
        #expect(try copy.opened.problems() == [])
    }

    /// A copy of a kept store, and the same copy opened with a larger model.
    private struct CopyWithLargerModel {
        private let folder: TemporaryFolder
        let store: RealStore
        let opened: RealStore
        /// The model with which the store was written.
        let model: ManagedObjectModel
        /// The names of the entities that the larger model adds.
        let newNames: Set<String>

        init(_ kept: KeptStore, _ larger: LargerModel) throws {
            folder = try TemporaryFolder()
            store = try kept.copy(into: folder)
            model = try #require(try store.model())
            newNames = larger.newNames(in: model)
            opened = store.with(model: try larger.write(model, to: folder.file("M.xcdatamodeld")))
        }
    }

    private func isRefused(_ store: RealStore, with model: ManagedObjectModel) throws -> Bool {
        do {
            try store.edit(with: model) { _ in }
            return false
        } catch GraphError.store(.modelMismatch) {
            return true
        }
    }

    private func changesNumbers(
        _ larger: LargerModel, of model: ManagedObjectModel
    ) throws -> Bool {
        let other = try ManagedObjectModel(larger.added(to: model))
        return model.entities.contains { other.entity(named: $0.name)?.number != $0.number }
    }
}

/// The same tests with the stores of the corpus, and with copies of them in other engines.
@Suite(.enabled(if: Corpus.isThere)) struct `Stable numbers of real stores` {
    private static let paths = Corpus.wholeStorePaths.filter(
        Corpus.storePathsWithModel.contains)

    @Test(arguments: paths)
    func `produce the same dump with a larger model`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let store = try RealStore(path, in: folder)
        let model = try #require(try store.model())
        let larger = try LargerModel.everywhere.write(model, to: folder.file("M.xcdatamodeld"))

        let dump = try store.with(model: larger).dump()

        #expect(try dump == store.dump())
    }

    @Test(arguments: paths.filter { $0.contains("SampleModel") || $0.contains("Bookmarks") })
    func `produce the same dump in every engine`(_ path: String) throws {
        let folder = try TemporaryFolder()
        let store = try RealStore(path, in: folder)
        let model = try #require(try store.model())
        let dump = try store.dump()
        let larger = try LargerModel.everywhere.write(model, to: folder.file("M.xcdatamodeld"))
        for type in everyFileEngine where type != .sqlite {
            let copy = RealStore(folder.file("copy.\(type)"), type)
            try store.copy(to: copy.url, type.rawValue)

            let found = try copy.with(model: larger).dump()

            #expect(found == dump, "\(type)")
            #expect(try copy.with(model: larger).problems() == [], "\(type)")
        }
    }
}
