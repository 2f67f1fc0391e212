// The same pages as ../php, with gin and database/sql: a page without work, and one user read
// from MariaDB. All three database pages are native SQL here.
package main

import (
	"database/sql"
	"log"
	"net/http"
	"os"

	"github.com/gin-gonic/gin"
	_ "github.com/go-sql-driver/mysql"
)

const (
	connections = 16 // as many as Tenbin opens
	userID      = 7
)

type user struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

func main() {
	database := open(os.Getenv("DATABASE_SOCKET"))
	gin.SetMode(gin.ReleaseMode)
	pages := gin.New()
	pages.GET("/hello", func(c *gin.Context) {
		c.Data(http.StatusOK, "text/plain", []byte("hello"))
	})
	for _, path := range []string{"/sql", "/builder", "/orm"} {
		pages.GET(path, func(c *gin.Context) { showUser(c, database) })
	}
	log.Fatal(pages.Run("127.0.0.1:" + os.Getenv("PORT")))
}

func open(socket string) *sql.DB {
	// The driver puts the values into the text of a statement, as PDO does by default: one
	// exchange with the database for each page.
	database, err := sql.Open("mysql", "tenbin@unix("+socket+")/tenbin?interpolateParams=true")
	if err != nil {
		log.Fatal(err)
	}
	database.SetMaxOpenConns(connections)
	database.SetMaxIdleConns(connections)
	if err := database.Ping(); err != nil {
		log.Fatal(err)
	}
	return database
}

func showUser(c *gin.Context, database *sql.DB) {
	var found user
	row := database.QueryRowContext(c, "SELECT id, name, email FROM users WHERE id = ?", userID)
	if err := row.Scan(&found.ID, &found.Name, &found.Email); err != nil {
		c.String(http.StatusInternalServerError, err.Error())
		return
	}
	c.JSON(http.StatusOK, found)
}
