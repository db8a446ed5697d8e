import CairnModel
import CairnStore

/// A save of a main-queue context whose stores are written on a thread of the executor.
final class BackgroundSave {
    let watch: SaveWatch?
    /// How the conflicts of earlier attempts were resolved.
    var resolutions: [ManagedObjectContext.Resolution] = []
    /// What the present attempt saves, or `nil` if no attempt is under way.
    var attempt: (collected: ManagedObjectContext.CollectedSave, flight: SaveFlight)?
    /// How the save ended, or `nil` if it has not ended yet.
    var result: Result<Void, GraphError>?

    init(watch: SaveWatch?) { self.watch = watch }
}
