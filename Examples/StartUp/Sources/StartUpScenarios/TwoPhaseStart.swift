import CoreData
import Foundation

/// A start in two phases: the main part is available immediately and shows the progress of the stores, which
/// are opened on background threads.
@MainActor public final class TwoPhaseStart {
    /// The progress of the start, which the main part shows.
    public enum Phase: Equatable, Sendable {
        case loading
        case ready
        /// The start failed. The value is a message for the user.
        case failed(String)
    }

    /// The current phase, which changes on the main actor as stores are opened.
    public private(set) var phase = Phase.loading
    /// Counts the stores that were tried.
    public let progress = Progress(totalUnitCount: 0)
    private let container: PersistentContainer

    /// The first phase: creates everything except the stores. Returns immediately.
    public init(container: PersistentContainer) {
        self.container = container
    }

    /// The second phase: opens the stores on background threads. It can be repeated after a failure.
    ///
    /// - Parameter completion: Called on the main queue after every store was tried.
    public func loadStores(completion: @escaping () -> Void) {
        phase = .loading
        let descriptions = container.persistentStoreDescriptions
        for description in descriptions {
            description.shouldAddStoreAsynchronously = true
        }
        progress.totalUnitCount = Int64(descriptions.count)
        progress.completedUnitCount = 0
        container.loadPersistentStores { description, error in
            self.progress.completedUnitCount += 1
            if let error = error as NSError? {
                self.phase = .failed(error.localizedDescription)
            }
            guard self.progress.isFinished else { return }
            if self.phase == .loading { self.phase = .ready }
            completion()
        }
    }

    /// Returns an answer for the user, in any phase.
    public func answer() -> String {
        switch phase {
        case .loading:
            return "Your notes are being opened"
                + " (\(progress.completedUnitCount) of \(progress.totalUnitCount))."
        case .failed(let reason): return "Your notes cannot be opened. \(reason)"
        case .ready:
            do {
                let count = try container.viewContext.count(
                    for: FetchRequest<ManagedObject>("Note"))
                return "You have \(count) notes."
            } catch {
                return error.localizedDescription
            }
        }
    }
}
