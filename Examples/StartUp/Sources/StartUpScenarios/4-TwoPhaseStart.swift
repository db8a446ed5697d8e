import Cairn
import Foundation

/// A start in two phases: the program is up and answers at once, its store follows when it is open.
/// One that does not open is something to show, not the end of the program.
@MainActor public final class TwoPhaseStart {
    /// How far the start has come: what a program shows, and decides by.
    public enum Phase: Equatable, Sendable {
        case loading
        case ready
        /// What to show to the user.
        case failed(String)
    }

    /// Changes on the main actor alone, as ``loadStores()`` goes on.
    public private(set) var phase = Phase.loading
    private let container: PersistentContainer

    /// Phase one: everything but the stores. Returns at once.
    public init(container: PersistentContainer) {
        self.container = container
    }

    /// Phase two: opens the stores on background threads, and returns when that has an end.
    public func loadStores() async {
        phase = .loading
        do throws(GraphError) {
            try await container.loadPersistentStores()
            phase = .ready
        } catch {
            phase = .failed(error.description)
        }
    }

    /// An answer for the user, in whatever phase.
    public func answer() -> String {
        switch phase {
        case .loading: return "Your notes are being opened."
        case .failed(let reason): return "Your notes cannot be opened. \(reason)"
        case .ready:
            let request = FetchRequest<ManagedObject>("Note")
            do throws(GraphError) {
                return "You have \(try container.viewContext.count(for: request)) notes."
            } catch {
                return error.description
            }
        }
    }
}
