import CairnModel
import CairnRows
import CairnStore
import Foundation
import Testing

@testable import CairnStack

/// The table of error codes, with a row for each case of each error. The codes are those in Core Data's and
/// Foundation's headers.
@Suite struct `The code of an error as NSError` {
    struct Row: Sendable, CustomTestStringConvertible {
        let error: any Error & Sendable
        let code: Int
        var testDescription: String { "\(code): \("\(error)".prefix(60))" }

        init(_ error: GraphError, _ code: Int) { (self.error, self.code) = (error, code) }
        init(_ error: StoreError, _ code: Int) { (self.error, self.code) = (error, code) }
        init(_ error: ModelError, _ code: Int) { (self.error, self.code) = (error, code) }
        init(_ error: FetchPredicateError, _ code: Int) {
            (self.error, self.code) = (error, code)
        }
    }

    private static let location = StoreLocation.memory("music")
    private static let url = URL(fileURLWithPath: "/nowhere/music")
    private static let id = ObjectID(
        store: StoreNumber(rawValue: 0x8000_0001), rootEntity: EntityNumber(1),
        entity: EntityNumber(1), key: -1)

    private static func failure(_ code: Int) -> ValidationFailure {
        ValidationFailure(code: code, object: id, entity: "Song", property: "title", rule: "rule")
    }

    private static func failure(of type: StoreType) -> EngineFailure {
        EngineFailure(
            type: type, location: location, operation: "read", code: 11, message: "no luck")
    }

    private static func failure(_ number: Int32) -> StoreError {
        .fileFailure(FileFailure(operation: "open", path: "/nowhere", code: number))
    }

    static let graphRows: [Row] = [
        Row(GraphError.store(.modelMismatch(location, differences: [])), 134_100),
        Row(GraphError.model(.notFound("Music", searched: [])), 260),
        Row(GraphError.predicate(.tooDeep(limit: 1)), 134_060),
        Row(GraphError.fetchCancelled, 3_072), Row(GraphError.saveCancelled, 3_072),
        Row(GraphError.openingCancelled, 3_072), Row(GraphError.copyCancelled(location), 3_072),
        Row(GraphError.waitCancelled(context: "main"), 3_072),
        Row(GraphError.validation([failure(1570)]), 1_570),
        Row(GraphError.validation([failure(1570), failure(1610)]), 1_560),
        Row(GraphError.mergeConflicts([]), 133_020),
        Row(GraphError.mergePolicyFailed(CancellationError()), 133_020),
        Row(GraphError.constraintConflicts([]), 133_021),
        Row(GraphError.batchRefused(entity: "Book", reason: "of a test"), 134_060),
        Row(GraphError.objectGone(id, .notInStore), 133_000),
        Row(
            GraphError.relationshipAcrossStores(
                entity: "Song", relationship: "album", from: id, to: id), 133_010),
        Row(
            GraphError.savePending(InterruptedSave(id: nil, stores: [location], detail: "no")),
            134_040),
        Row(GraphError.saveOutcomeUnknown(location, saved: [], reason: failure(of: "X")), 134_030),
        Row(GraphError.destinationExists(location), 516),
        Row(GraphError.wrongThread(context: "main", detail: "fetch"), 132_000),
        Row(GraphError.waitCycle([]), 132_000), Row(GraphError.saveUnderWay("main"), 132_000),
        Row(GraphError.storeAlreadyAdded(location), 134_080),
        Row(GraphError.storeIdentifierTaken("A", by: location, refused: location), 134_080),
        Row(GraphError.storeIsFixed(id), 134_060),
        Row(
            GraphError.entityNotTaken(
                entity: "Song", by: location, reason: .addedToModelLater), 134_070),
        Row(GraphError.loading([]), 134_080),
        Row(GraphError.storeNeedsFileURL("SQLite", given: nil), 134_080),
        Row(GraphError.storeNeedsServiceURL("Socket", given: nil), 134_080),
        Row(GraphError.destinationNotDurable("InMemory"), 134_070),
        Row(GraphError.storesAreNotFiles("InMemory"), 134_070),
        Row(GraphError.copyOntoItself(location), 134_070),
        Row(GraphError.noStore(entity: "Song", hasStores: true), 134_070),
        Row(GraphError.unknownStore("music"), 134_070),
        Row(GraphError.queryGenerationUnsupported("no"), 134_070),
        Row(GraphError.unknownEntity("Sung", known: []), 134_060),
        Row(GraphError.unknownProperty(entity: "Song", name: "x", nearest: nil), 134_060),
        Row(GraphError.unknownFetchRequestTemplate("x", nearest: nil), 134_060),
        Row(GraphError.fetchRequestTemplate("x", .unsetVariable("y")), 134_060),
        Row(
            GraphError.wrongType(entity: "Song", property: "x", expected: "a", found: "b"), 134_060),
        Row(GraphError.abstractEntity("Song"), 134_060),
        Row(GraphError.wrongContext(id, detail: "no"), 134_060),
        Row(GraphError.resultsWithoutOrder(entity: "Song"), 134_060),
        Row(GraphError.classWithoutEntity("Song"), 134_060),
        Row(GraphError.classOfSeveralEntities("Song", entities: []), 134_060),
        Row(GraphError.classTooLate("Song", entity: "Song"), 134_060),
        Row(GraphError.notConnected, 134_060),
        Row(GraphError.connectedTwice(context: "main", detail: "no"), 134_060),
    ]

    static let storeRows: [Row] = [
        Row(StoreError.notFound(location), 260),
        Row(StoreError.folderMissing(location, folder: url), 512),
        Row(StoreError.readOnly(location), 513),
        Row(StoreError.corrupt(location, location: "row", detail: "no"), 259),
        Row(failure(EACCES), 513), Row(failure(EPERM), 513), Row(failure(EEXIST), 516),
        Row(failure(ENOENT), 260), Row(failure(ENOSPC), 640), Row(failure(EDQUOT), 640),
        Row(failure(EROFS), 642), Row(failure(EIO), 512),
        Row(StoreError.notAStore(location, expected: "SQLite", found: "XML"), 134_010),
        Row(StoreError.unrecognized(location, found: "text", known: []), 134_000),
        Row(StoreError.unknownType("Clay", known: []), 134_000),
        Row(StoreError.unsupported(location, feature: "x", advice: "y"), 134_000),
        Row(StoreError.modelMismatch(location, differences: []), 134_100),
        Row(StoreError.invalidOption("x", detail: "y"), 134_080),
        Row(StoreError.locked(location, holder: "another process"), 134_080),
        Row(StoreError.hardLinked(location, linkCount: 2), 134_080),
        Row(StoreError.busy(location, waited: .seconds(1)), 134_090),
        Row(StoreError.deadlineExceeded, 134_090), Row(StoreError.closed(location), 134_070),
        Row(StoreError.fileRemoved(location, path: "/nowhere"), 134_030),
        Row(StoreError.fileReplaced(location, path: "/nowhere"), 134_030),
        Row(
            StoreError.unsupportedValue(entity: "Song", attribute: "x", reason: "y"), 134_030),
        Row(StoreError.keysExhausted(entity: "Song"), 134_030),
        Row(StoreError.saveNameTooSmall(location, greatest: SaveID()), 134_030),
        Row(StoreError.historyUnavailable(location, .purged), 134_301),
        Row(StoreError.commitOutcomeUnknown(failure(of: "SQLite")), 134_030),
        Row(StoreError.rowConflicts([]), 133_020),
        Row(StoreError.uniquenessConflicts([]), 133_021),
        Row(StoreError.predicate(.tooDeep(limit: 1)), 134_060),
        Row(StoreError.cancelled, 3_072),
        Row(StoreError.engineFailure(failure(of: "SQLite")), 134_180),
        Row(StoreError.engineFailure(failure(of: "LMDB")), 134_070),
    ]

    static let otherRows: [Row] = [
        Row(ModelError.notFound("Music", searched: []), 260),
        Row(ModelError.unreadable(file: url, location: "line 1", detail: "no"), 259),
        Row(ModelError.unsupportedForm(file: url, form: "omo", advice: "no"), 259),
        Row(ModelError.invalid([]), 134_060),
        Row(ModelError.mergeConflict(entity: "Song"), 134_060),
        Row(ModelError.unknownConfiguration("x", known: []), 134_060),
        Row(FetchPredicateError.unsetVariable("x"), 134_060),
        Row(FetchPredicateError.unsupportedVariableValue("x", found: "Date"), 134_060),
    ]

    @Test(arguments: graphRows + storeRows + otherRows)
    func `is in the table`(_ row: Row) {
        let shown: any Error = row.error
        let error = shown as NSError

        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == row.code)
        #expect(error.localizedDescription == "\(row.error)")
    }
}
