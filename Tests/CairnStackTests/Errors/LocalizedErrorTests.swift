import CairnModel
import CairnStore
import Foundation
import Testing

@testable import CairnStack

/// Alerts show an error's `localizedDescription`, which must be the error's own message.
@Suite struct `The localized description` {
    private static let id = ObjectID(
        store: StoreNumber(rawValue: 0x8000_0001), rootEntity: EntityNumber(1),
        entity: EntityNumber(1),
        key: -1)

    private static let failure = ValidationFailure(
        code: 1570, object: id, entity: "Song", property: "title", rule: "a value is required")

    static let errors: [any Error & CustomStringConvertible & Sendable] = [
        ModelError.notFound("Music", searched: []),
        FetchPredicateError.unknownKey("titel", entity: "Song", nearest: "title"),
        StoreError.notFound(.file(URL(fileURLWithPath: "/nowhere/music.store"))),
        GraphError.objectGone(id, .deletedHere),
        GraphError.store(.notFound(.file(URL(fileURLWithPath: "/nowhere/music.store")))),
        GraphError.validation([failure]),
        failure,
    ]

    @Test(arguments: errors.indices)
    func `is the error's description`(_ index: Int) {
        let error = Self.errors[index]
        let shown: any Error = error

        #expect(shown.localizedDescription == error.description)
        #expect((error as NSError).localizedDescription == error.description)
    }

    @Test func `of a store that could not be loaded is the reason`() {
        let reason = GraphError.unknownStore("music")
        let failure = StoreLoadingFailure(
            description: PersistentStoreDescription(type: "SQLite"), reason: reason)

        #expect(failure.localizedDescription == reason.description)
    }

    /// Errors with file names, names of types and texts that contain an escape sequence and a line break.
    private static let hostileErrors: [any Error & CustomStringConvertible & Sendable] = {
        let name = "/a/\u{1B}[31m\nb\u{202E}"
        let (url, type) = (URL(fileURLWithPath: name), StoreType(name))
        let location = StoreLocation.file(url)
        let failure = EngineFailure(
            type: type, location: location, operation: name, code: 1, message: name)
        let save = InterruptedSave(id: nil, stores: [location], detail: name)
        let stores: [StoreError] = [
            .notFound(location), .folderMissing(location, folder: url),
            .notAStore(location, expected: type, found: name),
            .unrecognized(location, found: name, known: [type]),
            .unknownType(type, known: [type]), .modelMismatch(location, differences: []),
            .migrationRefused(location, findings: [InferenceFinding(name, name, name)]),
            .sourceModelMissing(location), .mappingModelNeeded(location),
            .spaceMissing(location, needed: 1, available: 0),
            .invalidOption(.timeout, detail: name),
            .unsupported(location, feature: name, advice: name), .readOnly(location),
            .closed(location), .busy(location, waited: .zero), .locked(location, holder: name),
            .fileRemoved(location, path: name), .fileReplaced(location, path: name),
            .hardLinked(location, linkCount: 2),
            .corrupt(location, location: name, detail: name), .savePending(save),
            .saveInDoubt(save), .fileFailure(FileFailure(operation: name, path: name, code: EIO)),
            .engineFailure(failure), .commitOutcomeUnknown(failure),
        ]
        let models: [ModelError] = [
            .notFound(name, searched: [url]), .unreadable(file: url, location: name, detail: name),
            .unsupportedForm(file: url, form: name, advice: name), .exists(url),
            .unwritable(url, detail: name), .mergeConflict(entity: name),
            .unknownConfiguration(name, known: [name]),
        ]
        let graphs: [GraphError] = [
            .unknownStore(name), .storeAlreadyAdded(location),
            .destinationExists(location),
            .copyCancelled(location), .savePending(save), .classWithoutEntity(name),
        ]
        return stores + models + graphs + stores.map { GraphError.store($0) }
            + models.map { GraphError.model($0) }
    }()

    @Test(arguments: hostileErrors.indices)
    func `contains no control characters of a file's name`(_ index: Int) {
        let text = Self.hostileErrors[index].localizedDescription

        let controls = text.unicodeScalars.filter {
            $0.properties.generalCategory == .control || $0 == "\u{202E}"
        }
        #expect(controls.isEmpty, "\(text.debugDescription)")
    }
}
