import Cairn
import Foundation

/// A start in two phases: the main part is up at once and shows how far the stores are, which are opened
/// on background threads.
@MainActor public final class TwoPhaseStart {
    /// How far the start has come, for what the main part shows.
    public enum Phase: Equatable, Sendable {
        case loading
        case ready
        /// The text for the user.
        case failed(String)
    }

    /// Changes on the main actor, as stores are opened.
    public private(set) var phase = Phase.loading
    /// Counts the stores that were tried.
    public let progress = Progress(totalUnitCount: 0)
    private let container: PersistentContainer

    /// Phase one: everything but the stores. Returns at once.
    public init(container: PersistentContainer) {
        self.container = container
    }

    /// Phase two: opens the stores on background threads. May be repeated after a failure.
    ///
    /// - Parameter completion: called on the main queue when every store was tried.
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

    /// An answer for the user, in whatever phase.
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
