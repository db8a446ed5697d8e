import CoreData
import Foundation

/// The example that introductions show first: a list of notes that is filled, fetched, shown in sections, and
/// changed in the background.
@MainActor public final class FirstList {
    private let container: PersistentContainer
    private let log: (String) -> Void
    /// The notes that the list shows.
    public private(set) var notes: [ManagedObject] = []

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - container: A container whose stores are loaded.
    ///   - log: Receives information about failures for developers.
    public init(container: PersistentContainer, log: @escaping (String) -> Void = { print($0) }) {
        self.container = container
        self.log = log
    }

    /// Adds a note and shows it.
    public func save(text: String) {
        let managedContext = container.viewContext
        guard let entity = EntityDescription.entity(forEntityName: "Note", in: managedContext)
        else { return log("The model has no notes.") }
        do {
            let note = try ManagedObject(entity: entity, insertInto: managedContext)
            try note.setValue(text, forKeyPath: "text")
            try managedContext.save()
            notes.append(note)
        } catch let error as NSError {
            log("Could not save. \(error), \(error.userInfo)")
        }
    }

    /// Shows the stored notes in reverse alphabetical order.
    public func load() {
        var fetchRequest = FetchRequest<ManagedObject>(entityName: "Note")
        fetchRequest.sortDescriptors = [FetchSortDescriptor(key: "text", ascending: false)]
        do {
            notes = try container.viewContext.fetch(fetchRequest)
        } catch let error as NSError {
            log("Could not fetch. \(error), \(error.userInfo)")
        }
    }

    /// The controller of the notes, with a section for each notebook. It fetches nothing before
    /// `performFetch()`.
    public lazy var fetchedResultsController: FetchedResultsController<ManagedObject> = {
        var fetchRequest = FetchRequest<ManagedObject>(entityName: "Note")
        fetchRequest.sortDescriptors = [
            FetchSortDescriptor(key: "notebook.title", ascending: true),
            FetchSortDescriptor(key: "text", ascending: true),
        ]
        fetchRequest.fetchBatchSize = 20
        return FetchedResultsController(
            fetchRequest: fetchRequest, managedObjectContext: container.viewContext,
            sectionNameKeyPath: "notebook.title", cacheName: nil)
    }()

    /// Adds a notebook with a note on a background queue.
    ///
    /// - Parameter completion: Called on the main queue.
    public func addNotebook(
        title: String, text: String, completion: @escaping @MainActor ((any Error)?) -> Void
    ) {
        container.performBackgroundTask { context in
            do {
                let notebook = try EntityDescription.insertNewObject(
                    forEntityName: "Notebook", into: context)
                try notebook.setValue(title, forKey: "title")
                let note = try EntityDescription.insertNewObject(
                    forEntityName: "Note", into: context)
                try note.setValue(text, forKey: "text")
                try notebook.mutableSetValue(forKey: "notes").add(note)
                try context.save()
                DispatchQueue.main.async { completion(nil) }
            } catch {
                DispatchQueue.main.async { completion(error) }
            }
        }
    }
}
