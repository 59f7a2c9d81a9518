// Package vae holds the variational autoencoder of adaptive temperature scaling (Joy
// et al. 2023), whose prior depends on the class: its network, in float32, and its
// training.
package vae
