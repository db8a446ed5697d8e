import CairnModel
import CairnStore
import Foundation

/// A command of a rule to a worker: one line of JSON on the worker's standard input.
enum WorkerCommand: Codable, Sendable {
    /// Opens the store at a location. The store exists.
    case open(WorkerLocation, isReadOnly: Bool, timeout: Double?)
    /// Reads the metadata of the store at a location, without opening it.
    case metadata(WorkerLocation)
    /// Opens the store, reads everything, closes it.
    case readAll(WorkerLocation)
    /// Takes a snapshot, which later commands read.
    case hold
    /// Returns the names of all albums, in the order of their keys.
    case albums(isHeld: Bool)
    /// Saves albums with these names in one save.
    case insert([String])
    /// Adds 1 to an album's year `count` times. Tries again if another process changed the album first.
    case raiseYear(URL, count: Int)
    /// Returns the names of the objects with these URIs. The name is empty if there is no such object.
    case names([URL])
    /// Returns the names of the objects that a relationship leads to.
    case related(URL, entity: String, relationship: String)
    /// Saves two albums at a time, without end. Answers after each save.
    case savePairs
    /// Makes named saves of albums, without end. Answers before each save. The name of an album is that
    /// of its save.
    case saveNamed
    /// Returns the outcome of a named save, as the store knows it.
    case outcome(String)
    case beginSave
    case prepare([String])
    case commit
    case rollback
}
