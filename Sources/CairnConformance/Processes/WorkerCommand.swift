import CairnModel
import Foundation

/// A command of a rule to a worker, sent as one line of JSON on the worker's standard input.
enum WorkerCommand: Codable, Sendable {
    /// Opens the store at a location. The store must exist, unless it is in memory.
    case open(WorkerLocation, isReadOnly: Bool, timeout: Double?)
    /// Reads the metadata of the store at a location without opening the store.
    case metadata(WorkerLocation)
    /// Opens the store, reads all of it, and closes it.
    case readAll(WorkerLocation)
    /// Creates a snapshot for later commands to read.
    case hold
    /// Returns the names of all albums, in the order of their keys.
    case albums(isHeld: Bool)
    /// Describes the bytes of a file object's blob in the held snapshot.
    case heldBlob(URL)
    /// Saves albums with these names, in one save.
    case insert([String])
    /// Saves an album of the label with this URI.
    case insertMember(URL)
    /// Adds 1 to an album's year `count` times. Tries again if another process changes the album first.
    case raiseYear(URL, count: Int)
    /// Saves pairs of albums in an endless loop. Answers after each save.
    case savePairs
    /// Makes named saves of albums in an endless loop. Answers before each save. The name of an album is
    /// the name of its save.
    case saveNamed
    /// Returns the store's record of a named save's outcome.
    case outcome(String)
    case beginSave
    case prepare([String])
    case commit
    case rollback
}
