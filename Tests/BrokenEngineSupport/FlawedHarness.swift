import CairnConformance
import CairnModel
import CairnRows
import CairnStore
import Foundation
import Synchronization

/// A harness that opens stores of a sound engine and gives them a flaw.
package struct FlawedHarness: StoreHarness {
    let flaw: Flaw

    package init(flaw: Flaw) { self.flaw = flaw }

    package var engine: any PersistentStore.Type { flaw.engine }

    package var worker: WorkerExecutable? {
        .built("TestWorker", arguments: ["conform", flaw.name])
    }

    /// The harness of the sound engine.
    private var base: any StoreHarness { EngineHarness(engine) }

    package func location(_ name: String, in folder: URL) -> StoreLocation {
        base.location(name, in: folder)
    }

    package func setUp(for folder: URL) throws { try base.setUp(for: folder) }

    package func tearDown(for folder: URL) throws { try base.tearDown(for: folder) }

    package func metadata(at location: StoreLocation) throws(StoreError) -> StoreMetadata {
        if flaw.hidesMetadata { throw .locked(location, holder: "another process") }
        if flaw.missesOtherLocations, location.fileURL == nil { throw .notFound(location) }
        return try fileEngine(location).metadata(at: location)
    }

    package func withExclusiveUse(
        of location: StoreLocation, _ body: () throws(StoreError) -> Void
    ) throws(StoreError) {
        switch flaw.exclusiveUse {
        case .sound: try fileEngine(location).withExclusiveUse(of: location, body)
        case .lastsNotLongEnough:
            try fileEngine(location).withExclusiveUse(of: location) { () throws(StoreError) in }
            try body()
        case .emptiesUnknownFiles:
            let engine = try fileEngine(location)
            if let url = location.fileURL, !engine.recognizes(location) {
                try? Data().write(to: url)
            }
            try engine.withExclusiveUse(of: location, body)
        case .seesOwnProcessOnly:
            if FlawedStore.isOpen(location) { throw .locked(location, holder: "this process") }
            try body()
        }
    }

    private func fileEngine(_ location: StoreLocation) throws(StoreError) -> any FileStore.Type {
        guard let engine = engine as? any FileStore.Type else { throw .notFound(location) }
        return engine
    }

    /// The models that stores were created with, by location.
    private static let firstModels = Mutex<[StoreLocation: ManagedObjectModel]>([:])

    /// Returns the request with the model that the store was created with, so that entities are numbered as
    /// in the rows of the store.
    private func byTheNumbersInTheStore(_ request: OpenRequest) -> OpenRequest {
        guard flaw.openingAsAWhole == .readsByTheNumbersInTheStore else { return request }
        let first = Self.firstModels.withLock { models in
            let first = models[request.location] ?? request.model
            models[request.location] = first
            return first
        }
        if first === request.model { return request }
        var changed = request
        changed.model = first
        changed.layouts = RowLayouts(first)
        return changed
    }

    package func open(_ request: OpenRequest) throws(StoreError) -> any PersistentStore {
        var changed = byTheNumbersInTheStore(request)
        flaw.opening(&changed)
        do {
            return FlawedStore(try engine.open(changed), flaw, request)
        } catch {
            switch (flaw.openingAsAWhole, error) {
            case (.crashesOnDamage, .corrupt), (.crashesOnDamage, .notAStore):
                // Imitates a trap, but without a crash report in the output. Never kills the test process
                // itself.
                let isWorker = CommandLine.arguments.last == WorkerExecutable.argument
                if isWorker { kill(getpid(), SIGKILL) }
                throw error
            case (.replacesForeignFiles, .notAStore(.file(let url), _, _)):
                try? FileManager.default.removeItem(at: url)
                return FlawedStore(try engine.open(changed), flaw, request)
            default: throw error
            }
        }
    }
}
