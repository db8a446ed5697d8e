import CairnModel
import CairnStore
import Foundation

/// What a rule asks of a worker: one line of JSON on the worker's standard input.
enum WorkerCommand: Codable, Sendable {
    /// Opens the store at the location, which is there.
    case open(WorkerLocation, isReadOnly: Bool, timeout: Double?)
    /// Reads the metadata of what is at the location, without opening it.
    case metadata(WorkerLocation)
    /// Opens the store, reads everything, closes it.
    case readAll(WorkerLocation)
    /// Takes a snapshot, to be asked again.
    case hold
    /// The names of all albums, by key.
    case albums(isHeld: Bool)
    /// Saves albums of those names in one save.
    case insert([String])
    /// Adds 1 to an album's year so many times, each time anew where another was faster.
    case raiseYear(URL, count: Int)
    /// The names of the objects with these URIs; empty for one that is not there.
    case names([URL])
    /// The names of the objects that a relationship leads to.
    case related(URL, entity: String, relationship: String)
    /// Saves two albums at a time, with an answer after each save, and no end.
    case savePairs
    /// Saves albums under names, with an answer before each save, and no end. The name of an album is
    /// that of its save.
    case saveNamed
    /// What the store says of the save of that name.
    case outcome(String)
    case beginSave
    case prepare([String])
    case commit
    case rollback
}
