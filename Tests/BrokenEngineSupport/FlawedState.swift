import CairnStore
import Foundation

/// A state to copy that is sound except for its store's flaw.
final class FlawedState: StateToCopy, @unchecked Sendable {
    // Unchecked: only `deinit` uses the save.
    private let base: any StateToCopy
    private let store: FlawedStore
    private let save: (any SaveTransaction)?

    init(_ base: any StateToCopy, _ store: FlawedStore, keeping save: (any SaveTransaction)?) {
        self.base = base
        self.store = store
        self.save = save
    }

    deinit { save?.rollback() }

    var byteCount: Int64 { base.byteCount }

    func write(
        to location: StoreLocation, reporting report: (Int64) throws(StoreError) -> Void
    ) throws(StoreError) {
        switch store.flaw.copying {
        case .sound, .keepsOthersFromSaving, .isRefusedDuringSaves:
            try base.write(to: location, reporting: report)
        case .showsTheNewest:
            try store.base.stateToCopy()?.write(to: location, reporting: report)
        case .losesExternalData:
            try base.write(to: location, reporting: report)
            for file in try engine.companionFiles(of: location) where file.role == .data {
                try? FileManager.default.removeItem(at: file.url)
            }
        case .makesAnotherStore:
            try report(base.byteCount)
            var request = store.request
            request.location = location
            request.newStoreIdentifier = nil
            try engine.open(request).close()
        case .reportsNothing:
            try base.write(to: location) { _ in }
        case .leavesFiles:
            do {
                try base.write(to: location, reporting: report)
            } catch {
                try base.write(to: location) { _ in }
                throw error
            }
        case .overwritesHistory:
            let history = location.fileURL.map { URL(fileURLWithPath: $0.path + "-history") }
            if let history { try? FileManager.default.removeItem(at: history) }
            try base.write(to: location, reporting: report)
        }
    }

    private var engine: any FileStore.Type {
        get throws(StoreError) {
            if let engine = store.flaw.engine as? any FileStore.Type { return engine }
            throw .notFound(store.request.location)
        }
    }
}
